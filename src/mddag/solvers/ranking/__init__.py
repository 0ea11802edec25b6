"""Rankings: votes on the documents of queries come in, a policy that knows the query goes out.

    order      trees by how soon their sum resembles the full score near the top   (``order``)
    readings   the expected full score, and its spread, at check points            (``fit_readings``)
    number     of a document at a check point: it quits where that is small        (``members``)
    knob       one number for all check points, chosen on other queries            (``cross_fitting``)

Labels are not needed: a policy is judged by the metric that it loses against the full model's own
order (``problem``). Start with ``members``."""
