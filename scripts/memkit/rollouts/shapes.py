"""The shapes of rollout lines as msgspec structs, and the names that a line's type may have.

Fields that are not named here are skipped without being built. Types are loose where clients differ, so that one odd
field never costs the line.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")


class Content(Struct):
    """A content part: input_text, output_text, input_image, input_audio, …; only text is kept."""

    type: str = ""
    text: str | None = None


class Message(Struct):
    role: str = ""
    content: list[Content] | str | None = None
    phase: str | None = None


class AgentMessage(Struct):
    """What another agent wrote (inter-agent message)."""

    content: list[Content] | str | None = None


class Call(Struct):
    """function_call, custom_tool_call and tool_search_call: what differs is where the arguments stand."""

    name: str | None = None
    namespace: str | None = None
    arguments: str | dict[str, Any] | None = None
    input: str | dict[str, Any] | None = None
    call_id: str | None = None


class Output(Struct):
    call_id: str | None = None
    output: str | list[Content] | dict[str, Any] | None = None


class Action(Struct):
    command: list[str] | str | None = None


class LocalShell(Struct):
    action: Action | None = None
    call_id: str | None = None
    id: str | None = None


class WebSearch(Struct):
    action: dict[str, Any] | None = None
    query: str | None = None


class ToolSearchOutput(Struct):
    call_id: str | None = None
    tools: list[msgspec.Raw] | None = None


class ImageCall(Struct):
    revised_prompt: str | None = None


class Meta(Struct):
    """session_meta, and the first line of a bare file."""

    id: Any = None
    session_id: Any = None
    timestamp: Any = None
    cwd: Any = None
    originator: Any = None
    cli_version: Any = None
    source: Any = None
    thread_source: Any = None
    model_provider: Any = None
    git: Any = None
    forked_from_id: Any = None
    parent_thread_id: Any = None
    memory_mode: Any = None


class TurnContext(Struct):
    cwd: str | None = None
    turn_id: str | None = None


class TurnStarted(Struct):
    turn_id: str | None = None


class TurnAborted(Struct):
    reason: str | None = None


class RolledBack(Struct):
    num_turns: int | None = None


class AgentEvent(Struct):
    memory_citation: Any = None


class RateWindow(Struct):
    used_percent: float | None = None
    resets_at: float | None = None
    resets_in_seconds: float | None = None


class RateLimits(Struct):
    primary: RateWindow | None = None
    secondary: RateWindow | None = None


class TokenCount(Struct):
    rate_limits: RateLimits | None = None


class Nothing(Struct):
    """A line whose being there is all that counts."""


class Line(Struct, Generic[T]):
    """A line that is read: its payload, and its time as written."""

    payload: T
    timestamp: Any = None


class Loose(Struct):
    """Any line, whatever its key order; bare lines have no payload."""

    type: Any = None
    timestamp: Any = None
    payload: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    record_type: Any = None
    id: Any = None
    ordinal: Any = None


class Tag(Struct):
    type: Any = None


Payload = (
    Message
    | AgentMessage
    | Call
    | Output
    | LocalShell
    | WebSearch
    | ToolSearchOutput
    | ImageCall
    | Meta
    | TurnContext
    | TurnStarted
    | TurnAborted
    | RolledBack
    | AgentEvent
    | TokenCount
    | Nothing
)

# What is read of a file: by type and, for response items and events, the payload's type; the frequent ones first.
WANTED: dict[tuple[str, str], type[Payload]] = {
    ("response_item", "function_call_output"): Output,
    ("response_item", "function_call"): Call,
    ("response_item", "message"): Message,
    ("response_item", "custom_tool_call"): Call,
    ("response_item", "custom_tool_call_output"): Output,
    ("response_item", "agent_message"): AgentMessage,
    ("response_item", "local_shell_call"): LocalShell,
    ("response_item", "local_shell_call_output"): Output,
    ("response_item", "web_search_call"): WebSearch,
    ("response_item", "tool_search_call"): Call,
    ("response_item", "tool_search_output"): ToolSearchOutput,
    ("response_item", "image_generation_call"): ImageCall,
    ("event_msg", "token_count"): TokenCount,
    ("event_msg", "agent_message"): AgentEvent,
    ("event_msg", "task_started"): TurnStarted,
    ("event_msg", "turn_started"): TurnStarted,
    ("event_msg", "turn_aborted"): TurnAborted,
    ("event_msg", "thread_rolled_back"): RolledBack,
    ("event_msg", "mcp_tool_call_end"): Nothing,
    ("event_msg", "web_search_end"): Nothing,
    ("turn_context", ""): TurnContext,
    ("session_meta", ""): Meta,
}

# Two kinds are wanted only when they carry the field that is read; of the second, only the newest is.
NEEDLES: dict[tuple[str, str], bytes] = {
    ("event_msg", "agent_message"): b'"memory_citation"',
    ("event_msg", "token_count"): b'"used_percent"',
}
NEWEST = ("event_msg", "token_count")

# Known and left alone, the frequent ones first; any other name is counted as an unknown line.
_IGNORED = {
    "response_item": "reasoning ghost_snapshot compaction compaction_summary context_compaction other",
    "event_msg": (
        "exec_command_end agent_reasoning user_message item_completed patch_apply_end exec_command_output_delta"
        " task_complete agent_message_delta agent_message_content_delta agent_reasoning_delta"
        " agent_reasoning_raw_content agent_reasoning_raw_content_delta agent_reasoning_section_break"
        " reasoning_content_delta reasoning_raw_content_delta turn_complete exec_command_begin"
        " exec_approval_request terminal_interaction mcp_tool_call_begin"
        " mcp_startup_update mcp_startup_complete mcp_list_tools_response web_search_begin patch_apply_begin"
        " patch_apply_updated apply_patch_approval_request item_started"
        " entered_review_mode exited_review_mode thread_name_updated thread_goal_updated error warning stream_error"
        " background_event plan_update plan_delta turn_diff context_compacted session_configured shutdown_complete"
        " view_image_tool_call image_generation_begin image_generation_end undo_started undo_completed"
        " list_skills_response skills_update_available request_user_input elicitation_request deprecation_notice"
        " raw_response_item model_reroute collab_agent_spawn_begin collab_agent_spawn_end"
        " collab_agent_interaction_begin collab_agent_interaction_end collab_waiting_begin collab_waiting_end"
        " collab_close_begin collab_close_end collab_resume_begin collab_resume_end dynamic_tool_call_request"
        " dynamic_tool_call_response hook_started hook_completed get_history_entry_response thread_settings_applied"
    ),
    "token_usage_record": "",
    "world_state": "",
    "compacted": "",
}


@cache
def known() -> frozenset[tuple[str, str]]:
    """Every (type, payload type) that is read or knowingly left alone."""
    return frozenset(WANTED) | frozenset(ignored())


@cache
def ignored() -> tuple[tuple[str, str], ...]:
    """Every (type, payload type) that is knowingly left alone."""
    return tuple((kind, name) for kind, names in _IGNORED.items() for name in (names.split() or [""]))


@cache
def line_decoder(kind: tuple[str, str]) -> msgspec.json.Decoder[Line[Payload]]:
    """Decodes a whole wrapped line of that kind."""
    line: Any = Line  # a type made from a value, which no checker follows
    return msgspec.json.Decoder(line[WANTED[kind]], strict=False)


@cache
def payload_decoder(kind: tuple[str, str]) -> msgspec.json.Decoder[Payload]:
    """Decodes the payload alone, or a bare line."""
    return msgspec.json.Decoder(WANTED[kind], strict=False)


@cache
def loose_decoder() -> msgspec.json.Decoder[Loose]:
    """Decodes any line's frame."""
    return msgspec.json.Decoder(Loose)


@cache
def tag_decoder() -> msgspec.json.Decoder[Tag]:
    """Decodes the payload's type alone."""
    return msgspec.json.Decoder(Tag)
