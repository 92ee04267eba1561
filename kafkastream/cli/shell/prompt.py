"""Prompt of the interactive shell: lines with history, highlighting and completion."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, final

import platformdirs
from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, ThreadedCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import confirm

from kafkastream.cli.shell.completion import completions
from kafkastream.cli.shell.statement_text import is_complete
from kafkastream.secret_masking import masked_statement
from kafkastream.table.environment import TableEnvironment

__all__ = ["confirmed", "sql_prompt"]

_PROMPT: Final = "SQL> "
_CONTINUATION: Final = "   > "
_OWNER_ONLY: Final = 0o600


def sql_prompt(t_env: TableEnvironment) -> Callable[[], str]:
    """Return a function that reads the next statement from the terminal.

    Enter executes a text that ends with a semicolon, and otherwise begins a new line. Statements are kept in a history
    file in the user's data directory, without passwords.

    Args:
        t_env: Table environment, whose tables and functions complete what is typed.
    """
    session: PromptSession[str] = PromptSession(
        _PROMPT,
        multiline=True,
        prompt_continuation=_CONTINUATION,
        history=_History(_history_file()),
        auto_suggest=AutoSuggestFromHistory(),
        lexer=PygmentsLexer.from_filename("statement.sql"),
        completer=ThreadedCompleter(_SqlCompleter(t_env)),
        complete_while_typing=False,
        key_bindings=_key_bindings(),
    )

    def ask() -> str:
        with patch_stdout():  # what jobs log meanwhile goes above the prompt
            return session.prompt()

    return ask


def confirmed(question: str) -> bool:
    """Ask a question on the terminal; the end of input means yes, Ctrl-C no."""
    try:
        return confirm(question)
    except EOFError:
        return True
    except KeyboardInterrupt:
        return False


def _history_file() -> Path:
    path = platformdirs.user_data_path("kafkastream", ensure_exists=True) / "sql-history"
    os.close(os.open(path, os.O_CREAT | os.O_APPEND, _OWNER_ONLY))
    return path


def _key_bindings() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
        elif buffer.document.is_cursor_at_the_end and is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return keys


@final
class _History(FileHistory):
    """History file without secrets."""

    def store_string(self, string: str) -> None:
        super().store_string(masked_statement(string))


@final
class _SqlCompleter(Completer):
    """Completes the text before the cursor."""

    def __init__(self, t_env: TableEnvironment) -> None:
        self._t_env = t_env

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        completed = completions(document.text_before_cursor, self._t_env)
        return (Completion(word, start_position=-len(completed.typed)) for word in completed.words)
