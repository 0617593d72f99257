"""Writes visits.csv and new.csv, the made-up data of docs/first-hour.md: python3 visits.py"""

import csv
import datetime
import math
import random

FEATURES = ["age", "sex", "ward", "temperature", "heart_rate", "crp", "oxygen", "cough", "smoker"]
CLASSES = ["infection", "respiratory", "pneumonia", "bronchitis", "cardiac", "arrhythmia", "fever",
           "unexplained_fever"]


def chance(draw, logit):
    return draw.random() < 1 / (1 + math.exp(-logit))


def visit(draw):
    age = min(97, max(1, round(draw.gauss(54, 21))))
    smoker = chance(draw, -0.8)
    bronchitis = chance(draw, -2.2 + 1.6 * smoker)
    pneumonia = chance(draw, -3.6 + 0.035 * age)
    arrhythmia = chance(draw, -4.6 + 0.05 * age)
    cardiac = arrhythmia or chance(draw, -4.4 + 0.04 * age)
    infection = pneumonia or chance(draw, -1.2)
    fever = chance(draw, 1.8 if infection else -3.0)
    truth = {
        "infection": infection,
        "respiratory": pneumonia or bronchitis or chance(draw, -3.0),
        "pneumonia": pneumonia,
        "bronchitis": bronchitis,
        "cardiac": cardiac,
        "arrhythmia": arrhythmia,
        "fever": fever,
        "unexplained_fever": fever and not infection,
    }
    cells = {
        "age": age,
        "sex": draw.choice("FM"),
        "ward": "ICU" if chance(draw, -3 + 3 * pneumonia + 2 * cardiac) else draw.choice(["ER", "GP"]),
        "temperature": round(draw.gauss(36.8 + 1.7 * fever, 0.35), 1),
        "heart_rate": round(draw.gauss(74 + 12 * fever + 34 * arrhythmia, 8)),
        "crp": round(math.exp(draw.gauss(1.1 + 2.2 * infection + 0.8 * pneumonia, 0.7)), 1),
        "oxygen": min(100, round(draw.gauss(97.5 - 5 * pneumonia - 1.5 * cardiac, 1.2))),
        "cough": draw.choice(["wet", "wet", "dry"]) if pneumonia or bronchitis else
                 draw.choice(["none", "none", "none", "dry"]),
        "smoker": "yes" if smoker else "no",
    }
    for name, share in (("crp", 0.12), ("smoker", 0.08), ("oxygen", 0.03)):
        if draw.random() < share:
            cells[name] = ""
    return cells, truth


def recorded(draw, truth):
    """What a person writes down: often only the most specific diagnosis, sometimes nothing yet."""
    labels = {name: int(holds) for name, holds in truth.items()}
    if draw.random() < 0.3:
        if truth["pneumonia"]:
            labels["infection"] = labels["respiratory"] = 0
        if truth["arrhythmia"]:
            labels["cardiac"] = 0
    if draw.random() < 0.03:
        labels["arrhythmia"] = ""
        if not truth["cardiac"]:
            labels["cardiac"] = ""
    return labels


def write(path, draw, first, count, labelled):
    day = datetime.date(2025, 1, 1)
    classes = [f"dx_{name}" for name in CLASSES] if labelled else []
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["visit", "admitted", *FEATURES, *classes])
        for number in range(first, first + count):
            cells, truth = visit(draw)
            labels = recorded(draw, truth) if labelled else {}
            admitted = day + datetime.timedelta(days=draw.randrange(365))
            table.writerow([f"v{number:04}", admitted, *cells.values(), *labels.values()])


draw = random.Random(2025)
write("visits.csv", draw, 1, 900, True)
write("new.csv", draw, 901, 12, False)
