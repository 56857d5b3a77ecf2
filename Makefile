# `make run` starts the game, `make test` checks it. Both install only into .venv and $(checks).

# If empty, the server uses its NOUGHTS_… variables or its own defaults.
HOST =
PORT =
STORE =
ARGS =

python = .venv/bin/python
checks = tests/client/node_modules
serve = $(python) -m server $(if $(HOST),--host '$(HOST)') $(if $(PORT),--port '$(PORT)') \
	$(if $(STORE),--store '$(STORE)')
formatted = 'client/**/*.{js,css,html}' 'tests/client/*.js' 'examples/*.mjs'
node_test = node --test --test-reporter=spec tests/client/*.test.js
compile = uv pip compile -q pyproject.toml --all-extras --universal --python-version 3.11 \
	--generate-hashes --no-annotate --no-header

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: ## serve the game on http://127.0.0.1:8080 (HOST=, PORT=, STORE=, ARGS=, PYTHON=)
	@.ci/venv requirements.txt
	@$(serve) $(ARGS)

play: ## serve the game and open it in the browser
	@.ci/venv requirements.txt
	@$(serve) --open $(ARGS)

test: lint ## run lint and every test (ARGS= for pytest)
	@.ci/test $(ARGS)
	@$(node_test)

test-fast: $(checks) ## run lint, the unit tests and the client's tests (under 40 seconds)
	@.ci/venv requirements-dev.txt
	@.ci/beside '$(python) -m pytest noughts server tests/unit' '$(MAKE) -s lint && $(node_test)'

coverage: ## list the lines and branches that unit and end-to-end tests never reach
	@.ci/venv requirements-dev.txt
	@$(python) -m coverage erase
	@$(python) -m coverage run -m pytest noughts server tests/unit tests/e2e
	@$(python) -m coverage combine --quiet
	@$(python) -m coverage report

bench: ## compare cost with a naive server, and the search with the commit before (ARGS=--rounds=5)
	@.ci/venv requirements-dev.txt
	@$(python) -m bench $(ARGS)

bench-full: ## five rounds, how cost grows, and the plots of docs/performance.md (ten minutes)
	@.ci/venv requirements-dev.txt
	@$(python) -m bench --rounds 5 --growth

book: ## prove the first moves of 5x5 again, and write server/core/five_book.py (six minutes)
	@.ci/venv requirements-dev.txt
	@$(python) -m bench.book $(ARGS)

torture: ## run every ordeal in full and print the figures (half an hour; LONG=1, ORDEALS=)
	@.ci/venv requirements-dev.txt
	@browser=$$(.ci/needs chromium) && NOUGHTS_CHROMIUM=$$browser $(python) -m tests.ordeals.torture

seeded: $(checks) ## sow bugs one by one, and see the tests notice each (five minutes; ARGS="host outbox")
	@.ci/venv requirements-dev.txt
	@$(python) -m tests.ordeals.seeded $(ARGS)

conformance: ## run Autobahn's tests against the WebSocket (needs Python 2.7; PYTHON27=)
	@.ci/venv requirements-dev.txt
	@$(python) -m tests.ordeals.conformance

lighthouse: ## score home, a room and a review with Lighthouse, as on a phone (npx; below 97 fails)
	@.ci/venv requirements-dev.txt
	@browser=$$(.ci/needs chromium) && NOUGHTS_CHROMIUM=$$browser $(python) -m tests.browser.lighthouse

screenshots: ## take the pictures in docs/screenshots again
	@.ci/venv requirements-dev.txt
	@browser=$$(.ci/needs chromium) && NOUGHTS_CHROMIUM=$$browser $(python) -m tests.browser.screenshots

link-picture: ## draw client/link.png again, the picture beside a link
	@.ci/venv requirements-dev.txt
	@browser=$$(.ci/needs chromium) && NOUGHTS_CHROMIUM=$$browser $(python) -m tests.browser.link_picture

lint: $(checks) ## check layout, style and types, in Python and in JavaScript
	@.ci/venv requirements-dev.txt
	@$(python) -m ruff format --check --quiet --diff
	@$(python) -m ruff check --quiet
	@$(python) -m mypy
	@$(checks)/.bin/tsc --project tests/client
	@$(checks)/.bin/prettier --check --log-level warn $(formatted)

format: $(checks) ## format Python, JavaScript, CSS and HTML, and fix what ruff can fix
	@.ci/venv requirements-dev.txt
	@$(python) -m ruff check --fix --quiet
	@$(python) -m ruff format
	@$(checks)/.bin/prettier --write --log-level warn $(formatted)

schema: ## write the protocol's schemas and the client's types again, from noughts/messages.py
	@.ci/venv requirements-dev.txt
	@$(python) -m noughts.schema

lock: ## update the lock files (needs uv and npm; ARGS=--upgrade for newer versions)
	@$(compile) $(ARGS) -o requirements.txt
	@$(compile) $(ARGS) --group dev -c requirements.txt -o requirements-dev.txt
	@npm --prefix tests/client install --package-lock-only --silent

clean: ## remove everything that make has created; games in noughts.db stay
	@rm -rf .venv .venv27 $(checks) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
	@find noughts server tests -name __pycache__ -prune -exec rm -rf {} +

$(checks): tests/client/package.json tests/client/package-lock.json
	@.ci/needs node
	@npm --prefix tests/client ci --silent
	@touch $@

.PHONY: help run play test test-fast coverage bench bench-full book torture seeded conformance lighthouse screenshots link-picture lint format schema lock clean
