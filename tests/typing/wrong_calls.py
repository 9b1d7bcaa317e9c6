"""Calls that type checkers must reject, one per line with the codes of mypy and pyright.

`test_checkers.py` runs both checkers on this file: exactly the marked lines must be reported, with
these codes. Each line of the function is also executed, and raises an error of this package.
"""

import pauci


def wrong(one: pauci.Sample, two: pauci.Sample, y: list[int], s: list[float]) -> None:
    """Run wrong calls, one per line."""
    measure = pauci.PAUC(fpr=(0, 0.5))
    e = pauci.estimate(one, [measure])[0]
    # A region is a pair.
    pauci.PAUC(fpr=0.1)  # E: arg-type reportArgumentType
    pauci.PAUC(0, 0.1)  # E: call-arg reportCallIssue
    pauci.Sensitivity(0.9)  # E: call-arg reportCallIssue
    pauci.PAUCc(fpr=(0, 0.1, 0.2))  # E: arg-type reportArgumentType
    pauci.PAUCx(tpr="0.8 to 1")  # E: arg-type reportArgumentType
    pauci.SPA(specificity=0.9)  # E: arg-type reportArgumentType
    pauci.PAUC(threshold=4)  # E: arg-type reportArgumentType
    pauci.PAUC(fpr=(0, 0.1), ends="west")  # E: arg-type reportArgumentType
    pauci.Sensitivity(specificity=(0.9, 1))  # E: arg-type reportArgumentType
    pauci.AP("0.1")  # E: arg-type reportArgumentType
    # Names of other packages.
    pauci.PAUC(max_fpr=0.1)  # E: call-arg reportCallIssue
    pauci.Sample(y, s, sample_weight=s)  # E: call-arg reportCallIssue
    pauci.Sample(y, s, pos_label=1)  # E: call-arg reportCallIssue
    e.interval(alpha=0.1)  # E: call-arg reportCallIssue
    pauci.estimate(one, [measure]).tests(0.1, adjust="sidak")  # E: arg-type reportArgumentType
    pauci.estimate(one, [measure]).ranks(top=1)  # E: call-arg reportCallIssue
    pauci.Bootstrap(n_bootstraps=100)  # E: call-arg reportCallIssue
    pauci.permutation_test(two, measure, seed=1)  # E: call-arg reportCallIssue
    pauci.plot.roc(one, title="ROC curve")  # E: call-arg reportCallIssue
    pauci.plot.roc(one, zoom=0.1)  # E: arg-type reportArgumentType
    e.plot(figsize=(4, 4))  # E: call-arg reportCallIssue
    pauci.datasets.load_dmist(1)  # E: call-arg reportCallIssue
    pauci.read_table("scores.csv", delimiter=";")  # E: call-arg reportCallIssue
    # Missing and superfluous arguments.
    pauci.Sample(y)  # E: call-arg reportCallIssue
    pauci.Sample.from_frame(pauci.datasets.load_fawcett())  # E: call-arg reportCallIssue
    pauci.Sample.from_cv_results({}, s)  # E: call-arg reportCallIssue
    pauci.Sample.from_estimator(s, weight=s)  # E: call-arg reportCallIssue
    pauci.AUC()(y)  # E: call-arg reportCallIssue
    pauci.estimate(one)  # E: call-overload reportCallIssue
    pauci.compare(two)  # E: call-overload reportCallIssue
    pauci.scan(one, fpr=[0.1, 0.2])  # E: call-arg reportCallIssue
    pauci.profile()  # E: call-arg reportCallIssue
    pauci.estimate(y, s)  # E: arg-type reportArgumentType
    pauci.estimate(one, measure, pauci.AP())  # E: call-overload reportArgumentType
    pauci.AUC(y, s)  # E: call-arg reportCallIssue
    e.summary(0.95, None, 1)  # E: call-arg reportCallIssue
    studies = pauci.datasets.load_audit_c()
    pauci.meta_accuracy(studies, tp="tp", fn="fn", fp="fp")  # E: call-arg reportCallIssue
    # Classes instead of objects, invalid words.
    pauci.estimate(one, pauci.AUC)  # E: arg-type reportArgumentType
    pauci.estimate(one, "auc")  # E: arg-type reportArgumentType
    pauci.estimate(one, measure, variance="bootstap")  # E: call-overload reportArgumentType
    pauci.estimate(one, measure, variance=pauci.Jackknife)  # E: call-overload reportArgumentType
    pauci.compare(two, measure, alternative="larger")  # E: call-overload reportArgumentType
    pauci.compare(two, measure, adjust="tukey")  # E: call-overload reportArgumentType
    pauci.compare(two, measure, pair="ab")  # E: arg-type call-overload reportArgumentType
    pauci.compare(one, two)  # E: call-overload reportArgumentType
    e.interval(kind="wilson")  # E: arg-type reportArgumentType
    e.to_latex(style="nature")  # E: arg-type reportArgumentType
    pauci.Bootstrap(scheme="rows")  # E: arg-type reportArgumentType
    pauci.Bootstrap(rng="1")  # E: arg-type reportArgumentType
    pauci.assumed_risks("0.8", 0.1)  # E: arg-type reportArgumentType
    pauci.profile(one, by="score")  # E: arg-type reportArgumentType
    pauci.mrmc(one, measure)  # E: arg-type reportArgumentType
    pauci.write_report(3, "report.html")  # E: arg-type reportArgumentType
    pauci.write_report(one, 3)  # E: arg-type reportArgumentType
    pauci.operating_points(one, [0.5])  # E: call-arg reportCallIssue
    pauci.cutoff(one, cost=5)  # E: call-overload reportArgumentType reportCallIssue
    pauci.meta([e, e], effects="mixed")  # E: arg-type reportArgumentType
    pauci.read_result(3)  # E: arg-type reportArgumentType
    one.counts(smallest="5")  # E: arg-type reportArgumentType
    pauci.Sample.concat([y, y])  # E: list-item reportArgumentType
    pauci.cutoff(one, equal=True).validate([one])  # E: arg-type reportArgumentType
    pauci.plot.roc(y, s)  # E: arg-type reportArgumentType
    pauci.plot.forest(one)  # E: arg-type reportArgumentType


def misspelled(one: pauci.Sample, measure: pauci.Measure) -> None:
    """Use names that do not exist."""
    repr(pauci.pauc)  # E: attr-defined reportAttributeAccessIssue
    repr(pauci.estimates)  # E: attr-defined reportAttributeAccessIssue
    repr(pauci.estimate(one, measure).valeu)  # E: union-attr reportAttributeAccessIssue
    repr(pauci.estimate(one, [measure]).value)  # E: attr-defined reportAttributeAccessIssue
    repr(one.n_positives)  # E: attr-defined reportAttributeAccessIssue
