//! What each data set is, where it was published, and which files it consists of.

use super::{CatalogueEntry, Collection};

const CLUS: &str = "the Clus data sets for hierarchical multi-label classification: Vens, Struyf, \
                    Schietgat, Džeroski and Blockeel, Machine Learning 73, 2008";
const DIATOMS: &str = "Dimitrovski, Kocev, Loskovska and Džeroski, Ecological Informatics 7, 2012 \
                       (with the Clus data sets)";
const IMCLEF: &str = "Dimitrovski, Kocev, Loskovska and Džeroski, Pattern Recognition 44, 2011 \
                      (with the Clus data sets)";
const ENRON: &str = "Klimt and Yang, European Conference on Machine Learning, 2004";
const YAHOO: &str = "Ueda and Saito, Neural Information Processing Systems, 2002";
const RCV1: &str = "Lewis, Yang, Rose and Li, Journal of Machine Learning Research 5, 2004";

impl CatalogueEntry {
    /// What the rows and the classes are.
    pub fn about(&self) -> &'static str {
        match (self.collection, self.name) {
            (Collection::Hmc, "diatoms") => "microscope images of diatoms by taxon",
            (Collection::Hmc, "enron_corr") => "e-mails by topic, a hierarchy",
            (Collection::Hmc, "imclef07a") => "X-ray images by anatomical code",
            (Collection::Hmc, "imclef07d") => "X-ray images by directional code",
            (Collection::Hmc, name) if name.ends_with("_GO") => "yeast genes by Gene Ontology term",
            (Collection::Hmc, _) => "yeast genes by function (FunCat)",
            (Collection::Lcmc, "arts" | "business" | "science") => "web pages by topic",
            (Collection::Lcmc, "cal500") => "songs by listeners' descriptions",
            (Collection::Lcmc, "emotions") => "songs by emotion",
            (Collection::Lcmc, "enron") => "e-mails by topic",
            (Collection::Lcmc, "genbase") => "proteins by family",
            (Collection::Lcmc, "image" | "scene") => "photographs by content",
            (Collection::Lcmc, "medical") => "radiology reports by diagnosis code",
            (Collection::Lcmc, "yeast") => "yeast genes by function, 14 groups",
            (Collection::Lcmc, _) => "news stories by topic (Reuters)",
        }
    }

    /// The archive or paper it was published with.
    pub fn published(&self) -> &'static str {
        match (self.collection, self.name) {
            (Collection::Hmc, "diatoms") => DIATOMS,
            (Collection::Hmc, "imclef07a" | "imclef07d") => IMCLEF,
            (_, "enron_corr" | "enron") => ENRON,
            (Collection::Hmc, _) => CLUS,
            (Collection::Lcmc, "arts" | "business" | "science") => YAHOO,
            (Collection::Lcmc, "cal500") => {
                "Turnbull, Barrington, Torres and Lanckriet, IEEE TASLP 16, 2008"
            }
            (Collection::Lcmc, "emotions") => {
                "Trohidis, Tsoumakas, Kalliris and Vlahavas, ISMIR, 2008"
            }
            (Collection::Lcmc, "genbase") => {
                "Diplaris, Tsoumakas, Mitkas and Vlahavas, Panhellenic Conference on Informatics, \
                 2005"
            }
            (Collection::Lcmc, "image") => "Zhang and Zhou, Pattern Recognition 40, 2007",
            (Collection::Lcmc, "medical") => "Pestian and others, BioNLP workshop, 2007",
            (Collection::Lcmc, "scene") => {
                "Boutell, Luo, Shen and Brown, Pattern Recognition 37, 2004"
            }
            (Collection::Lcmc, "yeast") => {
                "Elisseeff and Weston, Neural Information Processing Systems, 2001"
            }
            (Collection::Lcmc, _) => RCV1,
        }
    }

    /// The files of the data set in its folder, as published or compressed with gzip.
    ///
    /// Hierarchies are Clus ARFF. The others are MULAN ARFF with the XML list of their labels, as
    /// in the MULAN collection, and the rules that the authors of the paper mined.
    pub fn files(&self) -> Vec<String> {
        let name = self.name;
        let splits: &[&str] = match (self.collection, name) {
            (Collection::Hmc, "diatoms" | "enron_corr" | "imclef07a" | "imclef07d")
            | (Collection::Lcmc, _) => &["train", "test"],
            (Collection::Hmc, _) => &["train", "valid", "test"],
        };
        match self.collection {
            Collection::Hmc => splits.iter().map(|split| format!("{name}.{split}.arff")).collect(),
            Collection::Lcmc => splits
                .iter()
                .map(|split| format!("{name}-{split}.arff"))
                .chain([format!("{name}.xml"), format!("{name}_constraints.txt")])
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::catalogue::{CATALOGUE, CatalogueEntry};

    #[test]
    fn every_data_set_says_what_it_is_and_where_it_is_from() {
        for entry in &CATALOGUE {
            assert!(!entry.about().is_empty() && entry.published().contains("20"), "{entry:?}");
        }
        let files = CatalogueEntry::find("cellcycle_FUN").unwrap().files();
        assert_eq!(files.len(), 3);
        let files = CatalogueEntry::find("yeast").unwrap().files();
        assert_eq!(
            files,
            ["yeast-train.arff", "yeast-test.arff", "yeast.xml", "yeast_constraints.txt"]
        );
    }
}
