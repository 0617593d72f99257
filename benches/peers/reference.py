"""C-HMCNN on a FunCat set in PyTorch, with the dense constraint formula: what our training is
compared with where a figure is in doubt. Prints loss and test AU(PRC) after chosen epochs.

    RULEBOUND_DATA=DIR benches/peers/.venv/bin/python benches/peers/reference.py seq_FUN 2000 13 [SEED]
"""
import gzip, os, sys, time
import numpy as np
import torch

torch.set_num_threads(1)
name, hidden, epochs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 0
data = os.environ.get("RULEBOUND_DATA", "../shared/data")
D = f"{data}/hmc/{name}/{name}."
def load(split):
    X=[];L=[];types=[];classes=None;data=False
    for l in gzip.open(D+split+'.arff.gz','rt'):
        l=l.strip()
        if not l or l.startswith('%'): continue
        if not data:
            u=l.upper()
            if u.startswith('@ATTRIBUTE'):
                p=l.split(None,2)
                if p[1].lower()=='class': classes=p[2].split(None,1)[1].strip().split(',')
                elif p[2].strip().startswith('{'): types.append([c.strip() for c in p[2].strip()[1:-1].split(',')])
                else: types.append(None)
            elif u.startswith('@DATA'): data=True
            continue
        c=l.split(','); r=[]
        for t,v in zip(types,c):
            v=v.strip()
            if t is None: r.append(np.nan if v=='?' else float(v))
            else: r+= [1.0 if v==k else 0.0 for k in t]
        X.append(r); L.append(c[len(types)].strip())
    return np.array(X),L,classes
tr,trl,classes=load('train'); va,val,_=load('valid'); te,tel,_=load('test')
names=['root']; idx={'root':0}
for c in classes:
    parts=c.split('/')
    for k in range(1,len(parts)+1):
        n='/'.join(parts[:k])
        if n not in idx: idx[n]=len(names); names.append(n)
n=len(names)
anc=np.eye(n,dtype=np.float32)
for nm,i in idx.items():
    parts=nm.split('/')
    for k in range(1,len(parts)): anc[idx['/'.join(parts[:k])], i]=1
    anc[0,i]=1
def lab(L):
    Y=np.zeros((len(L),n),dtype=np.float32)
    for r,s in enumerate(L):
        for c in s.split('@'):
            parts=c.split('/')
            Y[r,0]=1
            for k in range(1,len(parts)+1): Y[r,idx['/'.join(parts[:k])]]=1
    return Y
X=np.concatenate([tr,va]); Y=np.concatenate([lab(trl),lab(val)]); YT=lab(tel)
m=np.nanmean(X,0); X=np.where(np.isnan(X),m,X); te=np.where(np.isnan(te),m,te)
s=X.std(0); s[s==0]=1; X=(X-m)/s; te=(te-m)/s
print(X.shape, n)
X=torch.tensor(X,dtype=torch.float32); Y=torch.tensor(Y); te=torch.tensor(te,dtype=torch.float32); R=torch.tensor(anc)  # R[a,d]=1 if d descends from a
torch.manual_seed(seed)
net=torch.nn.Sequential(torch.nn.Linear(X.shape[1],hidden),torch.nn.ReLU(),torch.nn.Dropout(0.7),torch.nn.Linear(hidden,hidden),torch.nn.ReLU(),torch.nn.Dropout(0.7),torch.nn.Linear(hidden,n))
opt=torch.optim.Adam(net.parameters(),lr=1e-4,weight_decay=1e-5,fused=True)
ev=torch.ones(n,dtype=torch.bool); ev[0]=False
def constr(h): return (R[None]*h[:,None,:]).max(2).values
def auprc(score,truth):
    o=np.argsort(-score,kind='stable'); t=truth[o]; tp=np.cumsum(t); sc=score[o]
    last=np.r_[sc[1:]!=sc[:-1],True]; tp=tp[last]; k=np.nonzero(last)[0]+1
    p=tp/k; r=tp/tp[-1]; return float(((r-np.r_[0,r[:-1]])*p).sum())
def evaluate():
    net.eval()
    with torch.no_grad(): P=torch.cat([constr(torch.sigmoid(net(te[i:i+16]))) for i in range(0,len(te),16)])
    net.train(); return auprc(P[:,ev].numpy().ravel(),YT[:,ev.numpy()].ravel())
g=torch.Generator().manual_seed(seed); t0=time.time()
for e in range(epochs):
    perm=torch.randperm(len(X),generator=g)
    tot=0
    for i in range(0,len(X),4):
        b=perm[i:i+4]; h=torch.sigmoid(net(X[b])); y=Y[b]
        c=constr(h); t=constr(y*h); t=(1-y)*c+y*t
        l=torch.nn.functional.binary_cross_entropy(t[:,ev],y[:,ev]); opt.zero_grad(); l.backward(); opt.step(); tot+=l.item()
    if e + 3 > epochs or e % 4 == 3: print(e+1,'loss',tot/-(-len(X)//4),'auprc',evaluate(),round(time.time()-t0),flush=True)
