"""Options of the command line: grouped under headings in the help, with their defaults, and named once for all verbs.

A verb lists the options it takes; `given` hands those that were typed to Python under their names there. So nothing is
ignored in silence: an option that a mode does not take is refused by `only`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from heldout.cli.chart_files import chart_files
from heldout.cli.option_names import in_options
from heldout.cli.output_paths import check_outputs
from heldout.cli.standard_streams import put
from heldout.cli.usage_fixes import with_fix
from heldout.errors import HeldoutError, UsageError
from heldout.report import FORMATS

INPUT, COLUMNS, WHAT, HOW, OUTPUT = "Input", "Columns", "What to compute", "How", "Output"
HEADINGS = (INPUT, COLUMNS, WHAT, HOW, OUTPUT)
LOGS = ("lm-eval", "inspect")
TASKS = ("binary", "multiclass", "multilabel", "regression")
ENGINES = ("local", "dask", "ray", "spark")
CLOSE = 0.7
"""How alike an unknown name and a known one must be to be suggested: a wrong hint is worse than none."""
LARGEST = 2**63 - 1
"""The largest whole number of an option: NumPy's largest integer."""
Verb = Callable[..., Any]


class Option(click.Option):
    """An option that stands under a heading of the help."""

    def __init__(self, *names: Any, heading: str = WHAT, **facts: Any) -> None:
        super().__init__(*names, **facts)
        self.heading = heading
        self.is_output = heading == OUTPUT
        self.may_be_read = heading not in (COLUMNS, OUTPUT)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """What was typed as its type; whole numbers that no array can count are refused for all options alike."""
        read = super().type_cast_value(ctx, value)
        if isinstance(read, int) and abs(read) > LARGEST:
            raise click.BadParameter(f"{read} is more than {LARGEST}, the largest that is read.", ctx, self)
        return read


NOTHING_TYPED = "heldout.nothing_typed"


class FirstContact(click.UsageError):
    """A command that needs something and was given nothing: it says what it is for and how to begin."""

    def __init__(self, command: Helpful, ctx: click.Context) -> None:
        super().__init__("nothing was given", ctx)
        formatter = ctx.make_formatter()
        formatter.write(f"error: {ctx.command_path} was given nothing to work on\n\n")
        formatter.write(click.wrap_text((command.help or "").strip().partition("\n\n")[0], formatter.width) + "\n")
        command.format_epilog(ctx, formatter)
        formatter.write_paragraph()
        formatter.write(f"All options: {ctx.command_path} --help\n")
        self.text = formatter.getvalue()

    def show(self, file: Any = None) -> None:
        click.echo(self.text, file=file, err=True, nl=False)


def _show_help(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    """Print the help; a reader that has gone, as `head` does, has what it wanted."""
    if asked and not ctx.resilient_parsing:
        put(ctx.get_help() + "\n", coloured=True)
        ctx.exit()


class Helpful(click.Command):
    """A command whose help has headings and examples, and whose errors suggest what was meant."""

    def __init__(self, *given: Any, examples: Sequence[str] = (), **facts: Any) -> None:
        super().__init__(*given, **facts)
        self.examples = examples

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _show_help
        return option

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"  {example}\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[NOTHING_TYPED] = not args
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as problem:
            name = problem.option_name
            known = [name for parameter in self.get_params(ctx) for name in parameter.opts if name.startswith("-")]
            hint = suggestion(name, known) or self.other_hint(ctx, name)
            raise with_fix(click.NoSuchOption(name, message=f"No such option {name!r}.{hint}", ctx=ctx), ctx) from None
        except click.UsageError as problem:
            if isinstance(problem, click.MissingParameter) and ctx.meta[NOTHING_TYPED] and self.examples:
                raise FirstContact(self, ctx) from None
            raise with_fix(problem, ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except HeldoutError as problem:
            # what is under a verb has a sentence of its own
            is_verb = len(ctx.command_path.split()) == 2 and not isinstance(self, click.Group)
            if is_verb and isinstance(problem, UsageError) and ctx.meta[NOTHING_TYPED] and self.examples:
                raise FirstContact(self, ctx) from None
            if isinstance(self, click.Group):
                raise
            bare = isinstance(problem, UsageError)  # an error in data names columns, which may be called as an option
            message, fix = (
                in_options(self.get_params(ctx), text, bare=bare) for text in (problem.message, problem.fix)
            )
            raise type(problem)(message, code=problem.code, fix=fix) from problem

    def make_parser(self, ctx: click.Context) -> Any:
        """A parser that refuses empty arguments and paths, and a second value of an option: the first would be dropped.

        An unset variable of the shell is empty, and an empty path would be the current folder. A file that --save took
        for its name is named before anything that then seems to be missing.
        """
        parser = super().make_parser(ctx)
        parse = parser.parse_args

        def parsed(args: list[str]) -> tuple[dict[str, Any], list[str], list[click.Parameter]]:
            values, left, order = parse(args)
            _refuse_empty(self.get_params(ctx), values)
            _refuse_file_as_name(values.get("save"))
            for parameter in order:
                once = isinstance(parameter, click.Option) and not (parameter.multiple or parameter.is_flag)
                if once and order.count(parameter) > 1:
                    name = max(parameter.opts, key=len)
                    raise UsageError(
                        f"{name} was given {order.count(parameter)} times and takes one value", fix=f"give {name} once"
                    )
            return values, left, order

        parser.parse_args = parsed  # type: ignore[method-assign]
        return parser

    def other_hint(self, ctx: click.Context, name: str) -> str:  # noqa: ARG002 groups have one
        """What else to say of an unknown option that resembles none."""
        return ""


class Command(Helpful):
    """A command whose options stand under headings in the help, and whose outputs are checked before its work."""

    def invoke(self, ctx: click.Context) -> Any:
        check_outputs(ctx)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        for parameter in self.get_params(ctx):
            # Click 8.5 gives arguments a help record too; the usage line and the text above already name them.
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections[getattr(parameter, "heading", OUTPUT)].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def suggestion(name: str, known: Iterable[str]) -> str:
    """What an unknown option or command is likely to mean, as a question; empty where nothing is close.

    Case and leading dashes are not compared: every option begins with dashes, which would make all of them alike.

    >>> suggestion("--metrc", ["--metric", "--method", "--of"]), suggestion("Evalute", ["evaluate", "validate"])
    (' Did you mean --metric?', ' Did you mean evaluate?')
    >>> suggestion("--json", ["--of", "--version"])
    ''
    """
    plain = {option.lstrip("-").lower(): option for option in reversed(list(known))}
    alike = get_close_matches(name.lstrip("-").lower(), plain, n=1, cutoff=CLOSE)
    return f" Did you mean {plain[alike[0]]}?" if alike else ""


def _refuse_empty(parameters: Iterable[click.Parameter], values: Mapping[str, Any]) -> None:
    """Raise if an argument or the file of an option is an empty text."""
    at = 0
    for parameter in parameters:
        given = values.get(parameter.name or "")
        texts = given if isinstance(given, tuple | list) else (given,)
        is_argument = isinstance(parameter, click.Argument)
        if is_argument and "" in texts:
            fix = f"write argument {at + texts.index('') + 1}: a variable of the shell that is not set is empty"
            raise UsageError(f"argument {at + texts.index('') + 1} is empty", fix=fix)
        if not is_argument and "FILE" in str(parameter.metavar) and "" in texts:
            name = max(parameter.opts, key=len)
            raise UsageError(f"{name} is empty", fix=f"name it, or leave out {name}")
        at += len(texts) if is_argument else 0


def _refuse_file_as_name(name: Any) -> None:
    """Raise if --save, whose value may be left out, took the file that follows."""
    if isinstance(name, str) and name:
        from heldout.inputs.formats.files import is_file

        if is_file(name):
            from heldout.verbs.runs import check_name

            check_name(name)


command = partial(click.command, cls=Command)
option = partial(click.option, cls=Option)
column = partial(option, metavar="COLUMN", heading=COLUMNS)
file = partial(option, metavar="FILE")


def choice(*names: str) -> click.Choice[str]:
    """A closed choice, in any case."""
    return click.Choice(names, case_sensitive=False)


# ---- reading values


def several(_ctx: click.Context, option: click.Parameter, values: tuple[str, ...]) -> list[str] | None:
    """Names given one by one or in one list with commas."""
    names = [name.strip() for part in values for name in part.split(",")]
    found = [name for name in names if name]
    if values and not found:
        flag = max(option.opts, key=len)
        raise UsageError(f"{flag} is {','.join(values)!r}, which names nothing", fix=f"name one, or leave out {flag}")
    return found or None


def all_given(_ctx: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:
    """What was given, or None."""
    return values or None


def costs(_ctx: click.Context, _option: click.Parameter, value: str | None) -> tuple[float, float] | None:
    """The costs of a false positive and of a false negative, as in 1:10."""
    if value is None:
        return None
    try:
        fp, fn = (float(part) for part in value.split(":"))
    except ValueError:
        fix = "if a false negative costs ten false positives write 1:10"
        raise UsageError(f"--choose-threshold is {value!r}, which is not FP:FN", fix=fix) from None
    return fp, fn


def threshold(_ctx: click.Context, _option: click.Parameter, value: str | None) -> float | None:
    """A number; `best` would pick the threshold on the rows it is evaluated on."""
    if value is None:
        return None
    if value == "best":
        raise UsageError(
            "--threshold best picks the threshold on the rows it is evaluated on",
            code="H302",
            fix="give a number that was chosen before, on other rows; "
            "heldout evaluate --choose-threshold FP:FN tells what choosing costs",
        )
    try:
        return float(value)
    except ValueError:
        raise UsageError(f"--threshold is {value!r}, which is not a number", fix="give a number such as 0.5") from None


def level_of_alpha(_ctx: click.Context, _option: click.Parameter, value: float | None) -> float | None:
    """The confidence level that belongs to an error rate: 1 - alpha."""
    if value is None:
        return None
    if not 0 < value < 1:
        raise UsageError(f"--alpha is {value:g}, but must lie between 0 and 1", fix="for 5% write 0.05")
    if not 1e-12 <= value <= 1 - 1e-9:  # as levels are checked, which would name a level that was not typed
        raise UsageError(f"--alpha is {value!r}, too near {round(value)} for an interval", fix="for 5% write 0.05")
    return 1 - value


def margins(_ctx: click.Context, _option: click.Parameter, values: Sequence[str]) -> float | dict[str, float] | None:
    """One number for the metric that decides, or one per metric as METRIC=VALUE."""
    if not values:
        return None
    if len(values) == 1 and "=" not in values[0]:
        return margin_number(values[0], values[0])
    pairs = [part.rpartition("=") for part in values]
    for part, (name, _, _) in zip(values, pairs, strict=True):
        if not name.strip():
            raise UsageError(f"--margin {part} names no metric", fix="give each margin as METRIC=VALUE")
    names = [name.strip() for name, _, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--margin names {name} twice", fix=f"give one margin for {name}")
    return {name.strip(): margin_number(text, part) for part, (name, _, text) in zip(values, pairs, strict=True)}


def margin_number(text: str, value: str) -> float:
    """A margin: a number that is not negative."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0 <= number < float("inf"):
        fix = "give a number of zero or more, such as 0.01 or roc_auc=0.01"
        raise UsageError(f"--margin is {value!r}, which is not a margin", fix=fix)
    return number


def planned_looks(_ctx: click.Context, _option: click.Parameter, value: str | None) -> int | list[float] | None:
    """A number of looks, or the shares of the rows at each of them with commas between."""
    if value is None:
        return None
    try:
        return [float(part) for part in value.split(",")] if "," in value else int(value)
    except ValueError:
        fix = "give a number of looks such as 5, or rising shares of the rows such as 0.25,0.5,1"
        raise UsageError(f"--looks is {value!r}, which is neither a number nor a list of shares", fix=fix) from None


# ---- options that several verbs take

METRIC = option(
    "-m", "--metric", "--metrics", "metric", metavar="A,B", multiple=True, callback=several,
    help="Metrics to compute, by name; repeatable.  [default: those that suit the task]",
)  # fmt: skip
DEFINE = option("--define", metavar="FILE", help="A Python file that defines metrics of your own with heldout.define.")
PRIMARY = option("--primary", metavar="METRIC", help="The metric that decides; it is tested alone.")
BASELINE = option("--baseline", metavar="NAME", help="The reference model.  [default: the first]")
MARGIN = option(
    "--margin", metavar="[METRIC=]D", multiple=True, callback=margins,
    help="Equivalence margin: differences within ±D are EQUIVALENT; repeatable.",
)  # fmt: skip
LOOKS = (
    option("--sequential", is_flag=True, heading=HOW,
           help="Confidence sequences: valid at any number of looks while rows are added."),
    option("--looks", metavar="K", callback=planned_looks, heading=HOW,
           help="Group-sequential test: planned number of looks, or shares of the rows such as 0.5,1."),
    option("--look", type=int, metavar="N", heading=HOW, help="Number of this look, from 1."),
    option("--spending", type=choice("obrien-fleming", "pocock"), heading=HOW,
           help="Alpha-spending function.  [default: obrien-fleming]"),
)  # fmt: skip
LEVEL = option(
    "--level", type=float, metavar="L", default=0.95, show_default=True, heading=HOW, help="Confidence level."
)
ALPHA = option(
    "--alpha", type=float, metavar="A", callback=level_of_alpha, heading=HOW, help="The same as --level 1-A."
)
SEED = option(  # up to LARGEST_SEED, whose module would load numpy for every --help
    "--seed", type=click.IntRange(0, 2**32 - 1), metavar="N", default=0, show_default=True, heading=HOW,
    help="Random seed; the same seed gives the same numbers.",
)  # fmt: skip
JOBS = option("--n-jobs", type=int, metavar="N", heading=HOW, help="Processes; -1 uses every core.  [default: 1]")


def resamples(default: int = 2000) -> Callable[[Verb], Verb]:
    """The number of resamples, where a verb resamples."""
    return option(
        "--n-resamples", type=int, metavar="N", default=default, show_default=True, heading=HOW,
        help="Number of bootstrap or permutation resamples.",
    )  # fmt: skip


CLIP = option(
    "--clip", type=float, metavar="P", heading=WHAT,
    help="Clip probabilities to [P, 1-P], for log loss only.  [default: no clipping]",
)  # fmt: skip
READING = (
    option("--from", "log", type=choice(*LOGS), heading=INPUT, help="Read an evaluation log of this program."),
    option("--on-nan", type=choice("error", "drop"), default="error", show_default=True, heading=INPUT,
           help="What to do with missing values."),
    option("--engine", type=choice(*ENGINES), heading=INPUT, help="Engine that reads files in chunks."),
    option("--engine-address", metavar="ADDRESS", heading=INPUT, help="Where the engine runs: a scheduler's address."),
    option("--memory", metavar="SIZE", heading=INPUT,
           help="Memory for rows, such as 4G; larger files are read in chunks.  [default: 2G]"),
    column("--truth", help="True label or number."),
    column("--pred", help="Predicted label or number."),
    column("--score", help="Score, e.g. a predicted probability."),
    option("--prob-prefix", metavar="TEXT", heading=COLUMNS,
           help="Prefix of the columns with one probability per class."),
    column("--id", help="Row identifier, by which the rows of several files are matched."),
    column("--group", help="Cluster, e.g. a patient: rows of one group are not independent."),
    column("--weight", help="Row weight."),
    column("--time", help="Time of each row: use intervals and tests that allow for autocorrelation (HAC)."),
    column("--series", help="With --time: series of each row, if there are several."),
    option("--horizon", type=int, metavar="H", heading=COLUMNS,
           help="With --time: forecast horizon, in steps.  [default: not known]"),
    option("--task", type=choice(*TASKS), heading=WHAT, help="The task.  [default: guessed from the columns]"),
    option("--positive", metavar="LABEL", heading=WHAT, help="The positive class."),
    option("--labels", metavar="A,B", multiple=True, callback=several, heading=WHAT, help="The classes, in order."),
    option("--threshold", metavar="T", callback=threshold, heading=WHAT,
           help="Scores of T and more are predicted positive.  [default: 0.5 for probabilities]"),
    option("--link", type=choice("logit"), heading=WHAT, help="Scores are logits; convert them to probabilities."),
    CLIP,
)  # fmt: skip
"""How predictions are read: what evaluate, compare and gate share."""
RESULT = (
    option("-f", "--format", "form", type=choice(*FORMATS), default="text", show_default=True, heading=OUTPUT,
           help="Output format."),
    option("--json", "as_json", is_flag=True, heading=OUTPUT, help="The same as --format json."),
    file("-o", "--output", heading=OUTPUT, help="Write to a file instead of the screen."),
    option("--report", metavar="FILE.html", heading=OUTPUT, help="Also write the HTML report."),
    option("--chart", metavar="[NAME=]FILE", multiple=True, callback=chart_files, heading=OUTPUT,
           help="Also write a chart as .svg, .png, .pdf, .html or .csv, e.g. roc=curve.svg; repeatable."),
    option("--charts", metavar="DIR", heading=OUTPUT, help="Also write every chart to this folder."),
    option("--chart-format", type=choice("svg", "png", "pdf", "html"), heading=OUTPUT,
           help="Format of the files of --charts.  [default: svg]"),
    option("--keep-formulas", is_flag=True, heading=OUTPUT,
           help="In CSV: no apostrophe before texts that a spreadsheet would compute, such as a label =1+1."),
    option("--digits", type=click.IntRange(0, 15), metavar="N", heading=OUTPUT,
           help="Decimals of every number.  [default: as the interval needs]"),
    option("-v", "--verbose", is_flag=True, heading=OUTPUT, help="Print everything: all metrics, classes and rows."),
    option("-q", "--quiet", is_flag=True, heading=OUTPUT, help="Print nothing but errors."),
    option("--save", metavar="[NAME]", is_flag=False, flag_value="", heading=OUTPUT,
           help="Record the result; see heldout runs."),
    option("--run", metavar="DIR", heading=OUTPUT, help="Folder to record it in.  [default: .heldout]"),
)  # fmt: skip
"""Where a result goes: what every verb takes."""


def options(*listed: Callable[[Verb], Verb] | Iterable[Callable[[Verb], Verb]]) -> Callable[[Verb], Verb]:
    """The options in the order in which the help shows them."""
    flat = [one for part in listed for one in ([part] if callable(part) else part)]

    def decorated(verb: Verb) -> Verb:
        for one in reversed(flat):
            verb = one(verb)
        return verb

    return decorated


# ---- what was typed


def typed(values: dict[str, Any]) -> dict[str, Any]:
    """The options that were typed, and nothing that has its default."""
    ctx = click.get_current_context()
    sources = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
    return {
        name: value
        for name, value in values.items()
        if ctx.get_parameter_source(name) in sources and value is not None and value is not False
    }


def defined(given: dict[str, Any]) -> dict[str, Any]:
    """The options without --define: its file is run, and its metrics are asked for unless --metric names others."""
    if "define" not in given:
        return given
    from heldout.verbs.own_metric import definitions_in

    left = {name: value for name, value in given.items() if name != "define"}
    made = definitions_in(given["define"])
    if "metric" in left and not {*left["metric"], left.get("primary")} & {*made}:
        fix = f"add {made[0]} to --metric, or leave out --define"
        raise UsageError(
            f"--define has no effect: --metric does not name {' or '.join(made)}, which it defines", fix=fix
        )
    return {"metric": ["all", *made], **left}


def flag(name: str) -> str:
    """An option as it is typed.

    >>> flag("n_train"), flag("log")
    ('--n-train', '--from')
    """
    ctx = click.get_current_context(silent=True)
    typed_as = next((one.opts for one in (ctx.command.params if ctx else ()) if one.name == name), ())
    plain = {"log": "--from", "form": "--format", "as_json": "--json"}.get(name, f"--{name.replace('_', '-')}")
    return plain if plain in typed_as or not typed_as else max(typed_as, key=len)


def only(values: dict[str, Any], allowed: Collection[str], mode: str, why: str) -> None:
    """Refuse what has no effect in a mode, instead of passing it over."""
    for name in values:
        if name not in allowed:
            raise UsageError(f"{flag(name)} has no effect with {mode}: {why}", fix=f"leave out {flag(name)}")


def command_line() -> str:
    """The command as it was typed."""
    return " ".join(["heldout", *sys.argv[1:]])
