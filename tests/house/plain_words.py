"""Private wordings, by what to write instead.

A pattern targets the private meaning of a word, not the word itself: "draw a chart", "a page of the documentation" are
fine. `test_plain_language.py` searches every text that a user reads for them, whatever the case.
"""

THING = (
    "alternative|attribute|box|chance|class|column|cost|count|date|estimate|feature|file|image|import|input|interval|"
    "learner|level|list|mapping|mean|metric|mistake|model|name|number|output|pair|parameter|prediction|probability|"
    "promise|proof|range|rule|share|size|standard|table|text|threshold|way|weight|whole|CSV|JSON|TOML"
)

INSTEAD = {
    # Statistics: the terms of the field.
    "contains the true value; coverage": (r"\b(holds?|holding|held) the (truth|true (value|one))\b",),
    "coverage or type I error is close to nominal": (r"\b(holds?|held) (its|their|the) (level|size)\b",),
    "how certain, or the confidence interval": (r"\bhow sure\b",),
    "in simulations; simulated coverage 94.6% ± 0.5": (
        r"\blab\*",
        r"\bin the lab\b",
        r"\bthe lab(oratory)? (has|had|knows|measured|counts|says)\b",
    ),
    "type I error 5%": (r"\bwrong in \d+ of 100\b", r"\bof 100 true nulls\b"),
    "significant at 5%": (r"\b(is|are|was|were|be|been|being|not) established\b",),
    "not significantly different; distinguishes": (
        r"\b(not|be|is|are|was|were) told apart\b",
        r"\btells? (the |two |both )*(models|detectors|learners|systems|rows|labels|classes) apart\b",
    ),
    "clusters; rows of the same cluster": (r"\bbelong(s|ing)? together\b", r"\brows that go together\b"),
    "resamples (bootstrap, permutation)": (
        r"\b\d[\d,]* draws\b(?!=)",
        r"\b(number of|how many|of all|more|fewer|these|same|thousand) draws\b",
        r"\bdraws of (units|rows|images|segments|pictures)\b",
        r"\b(rows|units|images|segments) (are |were )?drawn anew\b",
        r"\b(every|each|per) draw\b",
    ),
    "dummy model, majority baseline": (
        r"\b(a|the|best) constant (prediction|model|classifier)\b",
        r"\bthan the (best )?constant\b",
        r"\bthe constant is beaten\b",
    ),
    "not statistically significant": (r"\bchance (has|had) made\b",),
    "not significantly …": (r"\bas far as (these|those|the|its|their|your) (rows|data) (tell|show|go|say)\b",),
    "unadjusted": (r"\b(stands?|stood) for (itself|themselves)\b",),
    "excludes 0": (r"\b(interval|it|they|sequence)( that| which)?( may)? leaves? out (0|zero|1|0\.5)\b",),
    "corrected for": (r"\bfreed of\b",),
    "shrinks towards, pools": (r"\b(lends?|lent|borrows?|borrowed|borrowing)\b(?!-)",),
    # Simulations.
    "simulation, data-generating process": (
        r"\bknown worlds?\b",
        r"\bin (this|that|which|every|each|such a|another|these|small|some) worlds?\b",
        r"\bworlds? (where|in which|whose)\b",
        r"\bworlds of (classes|numbers|texts|pictures|boxes|masks|twins)\b",
        r"\bworld of (its|their) own\b",
    ),
    "simulates 200 more data sets": (r"\bof the clinic more\b",),
    # Pieces of the tool.
    "HTML report": (
        r"\bHTML page\b",
        r"\b(self-contained|interactive) page\b",
        r"\bpage (of results|to look at)\b",
        r"\b(writes?|opens?|gives?) (one|the|a) page\b",
    ),
    "(default: X)": (
        r"\bunless (it is |they are |one is |something else is |others are )?given\b",
        r"\bunless told otherwise\b",
    ),
    "for bootstrap and permutation methods": (r"\bwhere that is done\b",),
    "score column": (r"\bby which (the model|it) orders\b",),
    "recognised by the bytes at its end": (r"\btold by (its|their) feet\b",),
    # Sentences.
    "must be …; is not a …": (rf"(?<!there )\b(is|are|was|were) no ({THING})(s|es)?\b",),
    "say who does not, or what is not checked": (r"\bnobody\b", r"\bno one\b"),
    "anyone who; all engines": (r"\bwho(m|so)?ever\b",),
    "say what it refers to": (r"\b(that|this|which|it) is meant\b", r"\bis meant to cost\b"),
    "raises an error": (r"\b(that|this) is refused\b", r"\brefused, never\b"),
    "cached; at any number of looks": (r"\bhowever often (it|they|one|you)\b", r"\btold once\b"),
    "free": (r"\b(be|are|is) let go\b", r"\blets go\b"),
    "made by": (r"\bof (numpy|pandas|its|their|our)('s)? (own )?making\b",),
    "corrected for selection": (r"\b(having|has) been picked\b",),
    "the same": (r"\bone and the same\b",),
    "at input": (r"\bat the door\b",),
    "available": (r"\bto be had\b",),
    "automatically": (r"\bof (its|their) own accord\b",),
}
