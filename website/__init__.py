"""The documentation as a site: ``make docs`` builds it in ``build/site``.

``pages`` lays out what the site is made of in ``build/pages``: the files of ``docs/``, README, changelog, and the
sources that they link to, with one page for each of the ``chapters`` of a long one; ``reference`` adds the API reference,
for which ``signatures`` extends griffe; ``nav`` reads the contents of ``mkdocs.yml``.
MkDocs makes HTML of the pages, and ``checks`` looks at the result.
"""
