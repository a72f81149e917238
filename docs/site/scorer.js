/* How the search of the site ranks what it finds: Sphinx's own scores, and pages for users before those for reviewers. */
var Scorer = {
  score: function (result) {
    var page = result[0], score = result[4];
    if (/^(tutorial|how-to\/)/.test(page)) return score + 30;
    if (/^(reference\/|explanation\/|GLOSSARY|index)/.test(page)) return score + 15;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
