"""Words with little content of their own: articles, prepositions, conjunctions, pronouns, auxiliary verbs."""

_ARTICLES = "a an the this that these those"
_PREPOSITIONS = (
    "about above across after against along among around as at before behind below beneath beside between "
    "beyond by down during except for from "
    "in inside into like near of off on onto out outside over past per since through to toward towards under "
    "until up upon via vs with within without"
)
_CONJUNCTIONS = (
    "and but or nor so yet if then than because while although though whether when where why how what which "
    "who whom whose"
)
_PRONOUNS = "i me my mine you your yours he him his she her hers it its we us our ours they them their theirs"
_AUXILIARIES = (
    "am is are was were be been being do does did doing have has had having can could may might must shall "
    "should will would not no"
)

LOW_CONTENT = frozenset(f"{_ARTICLES} {_PREPOSITIONS} {_CONJUNCTIONS} {_PRONOUNS} {_AUXILIARIES}".split()) | {
    ""
}
