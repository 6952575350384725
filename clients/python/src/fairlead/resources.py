# Generated from the OpenAPI document by `npm run generate`; do not edit.

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from . import types
from .paging import Page, iterate
from .transport import RequestOptions, Transport, segment


class Auth:
    """Verify a credential."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def whoami(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Whoami:
        """Verify a credential.

        Returns the owner of the credential and what the owner may do.

        ``GET /v1/auth/whoami``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/auth/whoami",
            options=options,
        )

    def list_providers(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.AuthProvider]:
        """List auth providers.

        The account’s own OAuth clients, newest first. Secrets are never returned.

        ``GET /v1/auth-providers``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/auth-providers",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_providers(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.AuthProvider]:
        """Every record of ``list_providers``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_providers(offset=start, top=top, options=options),
        )

    def create_provider(
        self,
        body: types.CreateAuthProviderRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.AuthProvider:
        """Create an auth provider.

        Stores the account’s own OAuth client for one method of one application, for use by many connections. An empty value is as absent. `clientId` and `clientSecret` do not exist: values are sent by slot.

        ``POST /v1/auth-providers``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/auth-providers",
            body=body,
            options=options,
        )

    def get_redirect_uri(
        self,
        *,
        application_slug: str,
        options: RequestOptions | None = None,
    ) -> types.RedirectUri:
        """Get the callback address to register at a vendor.

        ``GET /v1/auth-providers/redirect-uri``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/auth-providers/redirect-uri",
            query={
                "applicationSlug": application_slug,
            },
            options=options,
        )

    def list_provider_sources(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.AuthProviderSource]:
        """List what auth providers can be created for.

        The applications whose methods take auth providers, by name, with the slots of each method.

        ``GET /v1/auth-providers/sources``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/auth-providers/sources",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_provider_sources(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.AuthProviderSource]:
        """Every record of ``list_provider_sources``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_provider_sources(offset=start, top=top, options=options),
        )

    def list_usable_auth_providers(
        self,
        *,
        application_slug: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.UsableAuthProvider]:
        """List the auth providers that the caller may use.

        The enabled ones, newest first, without their values.

        ``GET /v1/auth-providers/usable``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/auth-providers/usable",
            query={
                "applicationSlug": application_slug,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_usable_auth_providers(
        self,
        *,
        application_slug: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.UsableAuthProvider]:
        """Every record of ``list_usable_auth_providers``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_usable_auth_providers(application_slug=application_slug, offset=start, top=top, options=options),
        )

    def get_provider(
        self,
        id: int,
        *,
        options: RequestOptions | None = None,
    ) -> types.AuthProvider:
        """Get an auth provider.

        ``GET /v1/auth-providers/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/auth-providers/{segment(id)}",
            options=options,
        )

    def update_provider(
        self,
        id: int,
        body: types.UpdateAuthProviderRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.AuthProvider:
        """Change an auth provider.

        A member that is left out keeps its value; `applicationSlug` and `authenticationId` are ignored. Values and scopes are read at each use, so that a corrected secret heals every connection that is signed in through the auth provider.

        ``PATCH /v1/auth-providers/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PATCH",
            f"/v1/auth-providers/{segment(id)}",
            body=body,
            options=options,
        )

    def delete_provider(
        self,
        id: int,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete an auth provider.

        Refused while a connection is signed in through it; a sign-in that is not completed does not count.

        ``DELETE /v1/auth-providers/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/auth-providers/{segment(id)}",
            options=options,
        )


class Applications:
    """The catalogue of applications and how each one authenticates."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        kind: Literal["Regular", "Key", "MCPClient"] | None = None,
        available: bool | None = None,
        search: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.ApplicationSummary]:
        """List applications.

        Ordered by name, or by relevance with a search. Without `kind`, the list includes every kind.

        ``GET /v1/applications``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/applications",
            query={
                "kind": kind,
                "available": available,
                "search": search,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate(
        self,
        *,
        kind: Literal["Regular", "Key", "MCPClient"] | None = None,
        available: bool | None = None,
        search: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.ApplicationSummary]:
        """Every record of ``list``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list(kind=kind, available=available, search=search, offset=start, top=top, options=options),
        )

    def get(
        self,
        slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Application:
        """Get an application.

        Includes its authentication methods: what a connection requires.

        ``GET /v1/applications/{slug}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/applications/{segment(slug)}",
            options=options,
        )


class Tools:
    """The actions that applications offer: browse, execute, and read the history."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        application_slug: str | None = None,
        search: str | None = None,
        format: Literal["openai", "anthropic", "vercel-ai", "gemini"] | None = None,
        schema_profile: Literal["openai-strict", "anthropic", "gemini"] | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.ListToolsItem]:
        """List tools.

        Ordered by name, or by relevance with a search. An unknown application returns an empty page.

        ``GET /v1/tools``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/tools",
            query={
                "applicationSlug": application_slug,
                "search": search,
                "format": format,
                "schemaProfile": schema_profile,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate(
        self,
        *,
        application_slug: str | None = None,
        search: str | None = None,
        format: Literal["openai", "anthropic", "vercel-ai", "gemini"] | None = None,
        schema_profile: Literal["openai-strict", "anthropic", "gemini"] | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.ListToolsItem]:
        """Every record of ``list``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list(application_slug=application_slug, search=search, format=format, schema_profile=schema_profile, offset=start, top=top, options=options),
        )

    def get(
        self,
        tool_slug: str,
        *,
        application_slug: str | None = None,
        toolset_id: str | None = None,
        schema_profile: Literal["openai-strict", "anthropic", "gemini"] | None = None,
        options: RequestOptions | None = None,
    ) -> types.Tool:
        """Get a tool.

        ``GET /v1/tools/{toolSlug}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/tools/{segment(tool_slug)}",
            query={
                "applicationSlug": application_slug,
                "toolsetId": toolset_id,
                "schemaProfile": schema_profile,
            },
            options=options,
        )

    def execute(
        self,
        tool_slug: str,
        body: types.ExecuteToolRequest,
        *,
        connection_id: int | None = None,
        toolset_id: str | None = None,
        application_slug: str | None = None,
        end_user_id: str | None = None,
        schema_profile: Literal["openai-strict", "anthropic", "gemini"] | None = None,
        approval_id: str | None = None,
        dry_run: bool | None = None,
        options: RequestOptions | None = None,
    ) -> types.ExecutionResult:
        """Execute a tool.

        Branch on `isSuccess`: a failure at the vendor is a 200 with isSuccess false and errorMessage. The connection is the named one, otherwise the toolset’s, otherwise the account’s default for the application. With `toolsetId` only tools and connections of that toolset are used. While the vendor limits the connection (429, or its own headers), calls wait within their deadline; one that cannot is a 200 with isSuccess false, `attempts` 0 and an errorMessage that says until when: nothing was sent. A call of one tool ends within 30 seconds, unless the installation says otherwise; one with `toolsetId` may run a workflow, which takes up to 5 minutes: let your client wait for 6. A run goes on when its caller leaves; the history shows how it ends.

        ``POST /v1/tools/{toolSlug}/execute``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/tools/{segment(tool_slug)}/execute",
            query={
                "connectionId": connection_id,
                "toolsetId": toolset_id,
                "applicationSlug": application_slug,
                "endUserId": end_user_id,
                "schemaProfile": schema_profile,
                "approvalId": approval_id,
                "dryRun": dry_run,
            },
            body=body,
            options=options,
        )

    def list_executions(
        self,
        *,
        tool_slug: str | None = None,
        connection_id: int | None = None,
        is_success: bool | None = None,
        from_: str | None = None,
        to: str | None = None,
        after: int | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Execution]:
        """List executions.

        The history of the account’s tool executions, newest first. It is kept for 90 days. To read far, pass the `historyId` of the last item as `after` for the next page, until a page’s `offset` and its number of items reach `totalCount`.

        ``GET /v1/executions``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/executions",
            query={
                "toolSlug": tool_slug,
                "connectionId": connection_id,
                "isSuccess": is_success,
                "from": from_,
                "to": to,
                "after": after,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_executions(
        self,
        *,
        tool_slug: str | None = None,
        connection_id: int | None = None,
        is_success: bool | None = None,
        from_: str | None = None,
        to: str | None = None,
        after: int | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Execution]:
        """Every record of ``list_executions``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_executions(tool_slug=tool_slug, connection_id=connection_id, is_success=is_success, from_=from_, to=to, after=after, offset=start, top=top, options=options),
        )

    def get_execution(
        self,
        history_id: int,
        *,
        options: RequestOptions | None = None,
    ) -> types.Execution:
        """Get an execution.

        ``GET /v1/executions/{historyId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/executions/{segment(history_id)}",
            options=options,
        )


class Toolsets:
    """Connections and permitted tools as a group, which executions can be confined to."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Toolset]:
        """List toolsets.

        Newest first.

        ``GET /v1/toolsets``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/toolsets",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Toolset]:
        """Every record of ``list``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list(offset=start, top=top, options=options),
        )

    def create(
        self,
        body: types.CreateToolsetRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.Toolset:
        """Create a toolset.

        Groups connections and permitted tools. An execution with its `toolsetId` is confined to it. Duplicates in a list fold. An account has at most 1000 toolsets.

        ``POST /v1/toolsets``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/toolsets",
            body=body,
            options=options,
        )

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Toolset:
        """Get a toolset.

        ``GET /v1/toolsets/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/toolsets/{segment(id)}",
            options=options,
        )

    def update(
        self,
        id: str,
        body: types.UpdateToolsetRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.Toolset:
        """Change a toolset.

        A member that is left out keeps its value; a list, and the policy, replace the former one. `tools: null` lifts the list. A policy that is sent again goes on meaning the tools that its slugs meant, and means those that they name now.

        ``PATCH /v1/toolsets/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PATCH",
            f"/v1/toolsets/{segment(id)}",
            body=body,
            options=options,
        )

    def delete(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete a toolset.

        Its connections and workflows stay. API keys that are confined to it end.

        ``DELETE /v1/toolsets/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/toolsets/{segment(id)}",
            options=options,
        )

    def list_tools(
        self,
        id: str,
        *,
        format: Literal["openai", "anthropic", "vercel-ai", "gemini"] | None = None,
        schema_profile: Literal["openai-strict", "anthropic", "gemini"] | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.ListToolsetToolsItem]:
        """List the tools of a toolset.

        The tools that the toolset permits, by name, its workflows among them. Inputs that its policy fixes are not in their inputSchema.

        ``GET /v1/toolsets/{id}/tools``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/toolsets/{segment(id)}/tools",
            query={
                "format": format,
                "schemaProfile": schema_profile,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_tools(
        self,
        id: str,
        *,
        format: Literal["openai", "anthropic", "vercel-ai", "gemini"] | None = None,
        schema_profile: Literal["openai-strict", "anthropic", "gemini"] | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.ListToolsetToolsItem]:
        """Every record of ``list_tools``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_tools(id, format=format, schema_profile=schema_profile, offset=start, top=top, options=options),
        )

    def list_approvals(
        self,
        *,
        status: Literal["pending", "approved", "rejected", "used", "expired"] | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Approval]:
        """List approvals.

        The calls that toolsets have held back until a person approves them, newest first. They are kept for 30 days.

        ``GET /v1/approvals``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/approvals",
            query={
                "status": status,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_approvals(
        self,
        *,
        status: Literal["pending", "approved", "rejected", "used", "expired"] | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Approval]:
        """Every record of ``list_approvals``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_approvals(status=status, offset=start, top=top, options=options),
        )

    def approve_call(
        self,
        approval_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Approval:
        """Approve a call.

        The same call of the same caller then runs once with this `approvalId`, until the approval expires. With `approvedByOther` in the policy of its toolset, the user who called gets 403 FORBIDDEN.

        ``POST /v1/approvals/{approvalId}/approve``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/approvals/{segment(approval_id)}/approve",
            options=options,
        )

    def reject_call(
        self,
        approval_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Approval:
        """Reject a call.

        The call is then 403 FORBIDDEN with this `approvalId`. An approval that is not used yet can be rejected, too. With `approvedByOther` in the policy of its toolset, the user who called gets 403 FORBIDDEN.

        ``POST /v1/approvals/{approvalId}/reject``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/approvals/{segment(approval_id)}/reject",
            options=options,
        )


class Files:
    """Files that tools take and return, kept for seven days."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        file_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.StoredFile:
        """Get a file.

        Returns what is known of the file, with a new address to download it from.

        ``GET /v1/files/{fileId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/files/{segment(file_id)}",
            options=options,
        )

    def delete(
        self,
        file_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete a file.

        ``DELETE /v1/files/{fileId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/files/{segment(file_id)}",
            options=options,
        )


class Workflows:
    """Sequences of tool calls that run as one tool."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Workflow]:
        """List workflows.

        Newest first.

        ``GET /v1/workflows``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/workflows",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Workflow]:
        """Every record of ``list``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list(offset=start, top=top, options=options),
        )

    def create(
        self,
        body: types.CreateWorkflowRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.Workflow:
        """Create a workflow.

        A sequence of tool calls that runs as one tool, under its slug, with a toolset that holds it. Expressions are parsed now: one that is not JSONata is a VALIDATION_ERROR that names it, such as `steps[0].when`. `onError: retry` (3 tries) is refused for a tool that is not idempotent. An account has at most 1000 workflows.

        ``POST /v1/workflows``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/workflows",
            body=body,
            options=options,
        )

    def get(
        self,
        workflow_token: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Workflow:
        """Get a workflow.

        ``GET /v1/workflows/{workflowToken}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/workflows/{segment(workflow_token)}",
            options=options,
        )

    def update(
        self,
        workflow_token: str,
        body: types.UpdateWorkflowRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.Workflow:
        """Change a workflow.

        A member that is left out keeps its value; `steps` replaces all of them. Runs that are under way keep what they began with. Policies of toolsets that name the workflow by a former slug still hold for it; 409 CONFLICT if it already has 100 former slugs.

        ``PATCH /v1/workflows/{workflowToken}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PATCH",
            f"/v1/workflows/{segment(workflow_token)}",
            body=body,
            options=options,
        )

    def delete(
        self,
        workflow_token: str,
        *,
        force: bool | None = None,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete a workflow.

        Refused while a toolset or an MCP server holds it; `candidates` names those as `toolset:<id>` and `mcpServer:<name>`. Runs that are under way go on.

        ``DELETE /v1/workflows/{workflowToken}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/workflows/{segment(workflow_token)}",
            query={
                "force": force,
            },
            options=options,
        )


class McpServers:
    """Endpoints that serve tools and workflows over the Model Context Protocol."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.McpServer]:
        """List MCP servers.

        Newest first, those that are not active among them.

        ``GET /v1/mcpservers``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/mcpservers",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.McpServer]:
        """Every record of ``list``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list(offset=start, top=top, options=options),
        )

    def get(
        self,
        mcp_server_token: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.McpServer:
        """Get an MCP server.

        ``GET /v1/mcpservers/{mcpServerToken}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/mcpservers/{segment(mcp_server_token)}",
            options=options,
        )

    def update(
        self,
        mcp_server_token: str,
        body: types.UpdateMcpServerRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.McpServer:
        """Change an MCP server.

        A member that is left out keeps its value; a list replaces the former one. If two changes meet, the last one holds.

        ``PATCH /v1/mcpservers/{mcpServerToken}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PATCH",
            f"/v1/mcpservers/{segment(mcp_server_token)}",
            body=body,
            options=options,
        )


class Administration:
    """Users, API keys, OAuth clients, licences, budgets, audit log and usage of the account, for its owners and admins. A bearer token also needs the scope `administration`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_mcp_server(
        self,
        body: types.CreateMcpServerRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.McpServer:
        """Create an MCP server.

        An active endpoint that serves the tools of the connections, and the workflows, to MCP clients. Only owners and admins may create one.

        ``POST /admin/v1/mcpservers``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/admin/v1/mcpservers",
            body=body,
            options=options,
        )

    def delete_mcp_server(
        self,
        mcp_server_token: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete an MCP server.

        Its address is gone for good. Its connections and workflows stay. Only owners and admins may delete one.

        ``DELETE /admin/v1/mcpservers/{mcpServerToken}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/admin/v1/mcpservers/{segment(mcp_server_token)}",
            options=options,
        )

    def rotate_mcp_server_token(
        self,
        mcp_server_token: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.McpServer:
        """Replace the token of an MCP server.

        There is no overlap: the former address opens nothing any more. `oauthUrl` stays. Only owners and admins may replace it.

        ``POST /admin/v1/mcpservers/{mcpServerToken}/rotate``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/admin/v1/mcpservers/{segment(mcp_server_token)}/rotate",
            options=options,
        )

    def accept_changed_tools(
        self,
        mcp_server_token: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.McpServer:
        """Accept the changed tools of an MCP server.

        All tools in `changedTools` are served as they are now. Only owners and admins may accept changes.

        ``POST /admin/v1/mcpservers/{mcpServerToken}/accept-changes``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/admin/v1/mcpservers/{segment(mcp_server_token)}/accept-changes",
            options=options,
        )

    def get_account(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Account:
        """Get the account and its settings.

        Consumes no budget. An account has 10 calls a second of this path.

        ``GET /admin/v1/account``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/admin/v1/account",
            options=options,
        )

    def update_account(
        self,
        body: types.UpdateAccountRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.Account:
        """Change settings of the account.

        A member or budget that is left out keeps its value. Consumes no budget, so that an exhausted budget can be raised. An account has 10 calls a second of this path.

        ``PATCH /admin/v1/account``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PATCH",
            "/admin/v1/account",
            body=body,
            options=options,
        )

    def list_users(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.User]:
        """List the users of the account.

        Newest first, including inactive users.

        ``GET /admin/v1/users``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/admin/v1/users",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_users(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.User]:
        """Every record of ``list_users``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_users(offset=start, top=top, options=options),
        )

    def create_user(
        self,
        body: types.CreateUserRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.User:
        """Create a user of the account.

        A user belongs to this account only: a person who works in several accounts has a user with a password in each. Only an owner may create an owner.

        ``POST /admin/v1/users``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/admin/v1/users",
            body=body,
            options=options,
        )

    def update_user(
        self,
        user_id: str,
        body: types.UpdateUserRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.User:
        """Change a user of the account.

        A member that is left out keeps its value. Only an owner may change an owner or make a user one; the last active owner can be neither demoted nor deactivated. A new password ends every sign-in of the user, including one that this call was made with.

        ``PATCH /admin/v1/users/{userId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PATCH",
            f"/admin/v1/users/{segment(user_id)}",
            body=body,
            options=options,
        )

    def list_api_keys(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.ApiKey]:
        """List the API keys of the account.

        Keys of every user, newest first; includes expired keys but not revoked ones.

        ``GET /admin/v1/api-keys``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/admin/v1/api-keys",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_api_keys(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.ApiKey]:
        """Every record of ``list_api_keys``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_api_keys(offset=start, top=top, options=options),
        )

    def create_api_key(
        self,
        body: types.CreateApiKeyRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.CreatedApiKey:
        """Create an API key.

        `apiKey` is returned only here. The key acts as its user; only an owner may create a key for an owner. A key with `scopes` or `toolsetId` does not administer the account.

        ``POST /admin/v1/api-keys``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/admin/v1/api-keys",
            body=body,
            options=options,
        )

    def revoke_api_key(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Revoke an API key.

        The key is refused permanently within two seconds. Only an owner may revoke an owner’s key.

        ``DELETE /admin/v1/api-keys/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/admin/v1/api-keys/{segment(id)}",
            options=options,
        )

    def list_oauth_clients(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.OAuthClient]:
        """List the OAuth clients of the account.

        Newest first. Clients that registered themselves belong to no account and are not listed.

        ``GET /admin/v1/oauth-clients``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/admin/v1/oauth-clients",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_oauth_clients(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.OAuthClient]:
        """Every record of ``list_oauth_clients``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_oauth_clients(offset=start, top=top, options=options),
        )

    def create_oauth_client(
        self,
        body: types.CreateOAuthClientRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.CreatedOAuthClient:
        """Create an OAuth client.

        Creates a confidential client of the account; `clientSecret` is returned only here. Only an owner may create one that acts as an owner.

        ``POST /admin/v1/oauth-clients``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/admin/v1/oauth-clients",
            body=body,
            options=options,
        )

    def delete_oauth_client(
        self,
        client_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete an OAuth client.

        All its tokens are refused within two seconds. Only an owner may delete a client that acts as an owner.

        ``DELETE /admin/v1/oauth-clients/{clientId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/admin/v1/oauth-clients/{segment(client_id)}",
            options=options,
        )

    def list_all_connections(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Connection]:
        """List connections of every kind.

        Newest first.

        ``GET /admin/v1/connections``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/admin/v1/connections",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_all_connections(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Connection]:
        """Every record of ``list_all_connections``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_all_connections(offset=start, top=top, options=options),
        )

    def set_licence(
        self,
        connection_id: int,
        body: types.SetLicenceRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.Connection:
        """Set the licence of a connection.

        Without an active licence a connection is Blocked and runs no tool.

        ``PUT /admin/v1/connections/{connectionId}/licence``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PUT",
            f"/admin/v1/connections/{segment(connection_id)}/licence",
            body=body,
            options=options,
        )

    def delete_own_application(
        self,
        slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete an application of the account.

        CONFLICT while connections of it exist: `candidates` names their ids.

        ``DELETE /admin/v1/applications/{slug}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/admin/v1/applications/{segment(slug)}",
            options=options,
        )

    def get_own_application(
        self,
        slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Application:
        """Get an application of the account.

        One that was imported, or that a connection to an MCP server made.

        ``GET /admin/v1/applications/{slug}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/admin/v1/applications/{segment(slug)}",
            options=options,
        )

    def import_application(
        self,
        body: types.ImportApplicationRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.ImportedApplication:
        """Import an application.

        Makes an application of the account of an OpenAPI document, of a manifest, of an MCP server or of a package that the operator allows. The tools of a document have its texts, and their calls go to its server with the credential of a connection. A slug that is taken is CONFLICT.

        ``POST /admin/v1/applications/import``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/admin/v1/applications/import",
            body=body,
            options=options,
        )

    def import_connection(
        self,
        body: types.ImportConnectionRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.Connection:
        """Import a connection from another platform.

        Takes the tokens of a sign-in that was made elsewhere through the same OAuth client: the named auth provider, otherwise the account’s default one, otherwise the connector’s own. The vendor is asked only for the choices of the method’s fields, of which the first is taken; if it does not answer, there are none, and a new sign-in finds them. Only for methods that use an OAuth sign-in.

        ``POST /admin/v1/connections/import``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/admin/v1/connections/import",
            body=body,
            options=options,
        )

    def list_audit_entries(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.AuditEntry]:
        """List audit entries.

        Who did what to which record, newest first: every call that changed something or showed a secret, including the operator’s calls. Calls that run tools are in the execution history instead. Entries are kept for 400 days, or as long as the installation is configured to.

        ``GET /admin/v1/audit``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/admin/v1/audit",
            query={
                "from": from_,
                "to": to,
                "actor": actor,
                "action": action,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_audit_entries(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.AuditEntry]:
        """Every record of ``list_audit_entries``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_audit_entries(from_=from_, to=to, actor=actor, action=action, offset=start, top=top, options=options),
        )

    def get_usage(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.UsageDay]:
        """Get usage by day.

        Returns each of the last 30 UTC days, or each UTC day that begins between `from` and `to`, newest first. Usage is kept for 90 days. Calls appear within seconds.

        ``GET /admin/v1/usage``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/admin/v1/usage",
            query={
                "from": from_,
                "to": to,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_usage(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.UsageDay]:
        """Every record of ``get_usage``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.get_usage(from_=from_, to=to, offset=start, top=top, options=options),
        )


class OnPremAgents:
    """Programs in your own networks that run tools there."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.OnPremAgent]:
        """List on-prem agents.

        Newest first.

        ``GET /v1/on-prem-agents``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/on-prem-agents",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.OnPremAgent]:
        """Every record of ``list``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list(offset=start, top=top, options=options),
        )

    def create(
        self,
        body: types.CreateOnPremAgentRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.CreatedOnPremAgent:
        """Create an on-prem agent.

        Start the agent with the token in the network that it is for. The first agent of an application is its default connection.

        ``POST /v1/on-prem-agents``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/on-prem-agents",
            body=body,
            options=options,
        )

    def get_latest_agent_release(
        self,
        *,
        platform: Literal["linux-x64", "linux-arm64"] | None = None,
        options: RequestOptions | None = None,
    ) -> types.OnPremAgentRelease:
        """Find the installer of the on-prem agent.

        Needs no credential.

        ``GET /v1/on-prem-agents/releases/latest``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/on-prem-agents/releases/latest",
            query={
                "platform": platform,
            },
            options=options,
        )

    def get(
        self,
        id: int,
        *,
        options: RequestOptions | None = None,
    ) -> types.OnPremAgent:
        """Get an on-prem agent.

        ``GET /v1/on-prem-agents/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/on-prem-agents/{segment(id)}",
            options=options,
        )

    def update(
        self,
        id: int,
        body: types.UpdateOnPremAgentRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.UpdatedOnPremAgent:
        """Change the settings of an on-prem agent.

        A setting that is left out keeps its value; null takes the default again. The change is stored first, then handed to the agent if it is online.

        ``PATCH /v1/on-prem-agents/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PATCH",
            f"/v1/on-prem-agents/{segment(id)}",
            body=body,
            options=options,
        )

    def delete(
        self,
        id: int,
        *,
        force: bool | None = None,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete an on-prem agent.

        Its token is worth nothing at once. A deleted default is not replaced. Refused while an enabled trigger, a toolset or an MCP server uses it: `candidates` names the uses.

        ``DELETE /v1/on-prem-agents/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/on-prem-agents/{segment(id)}",
            query={
                "force": force,
            },
            options=options,
        )

    def get_token(
        self,
        id: int,
        *,
        options: RequestOptions | None = None,
    ) -> types.OnPremAgentToken:
        """Read the token of an on-prem agent.

        Recorded in the audit log before it is read.

        ``GET /v1/on-prem-agents/{id}/token``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/on-prem-agents/{segment(id)}/token",
            options=options,
        )

    def rotate_token(
        self,
        id: int,
        *,
        confirm: bool,
        options: RequestOptions | None = None,
    ) -> types.OnPremAgentToken:
        """Replace the token of an on-prem agent.

        The former token is worth nothing at once, and the agent is offline until it is started with the new one. Recorded in the audit log before it is replaced.

        ``POST /v1/on-prem-agents/{id}/token``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/on-prem-agents/{segment(id)}/token",
            query={
                "confirm": confirm,
            },
            options=options,
        )


class Triggers:
    """Events when something changes in a connected application, at certain times, or when somebody calls."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_types(
        self,
        *,
        application_slug: str | None = None,
        search: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.TriggerType]:
        """List trigger types.

        The events that triggers may fire on. Ordered by name, or by relevance with a search. An unknown application returns an empty page.

        ``GET /v1/triggers/types``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/triggers/types",
            query={
                "applicationSlug": application_slug,
                "search": search,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_types(
        self,
        *,
        application_slug: str | None = None,
        search: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.TriggerType]:
        """Every record of ``list_types``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_types(application_slug=application_slug, search=search, offset=start, top=top, options=options),
        )

    def list_destinations(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Destination]:
        """List destinations.

        Newest first.

        ``GET /v1/triggers/destinations``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/triggers/destinations",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_destinations(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Destination]:
        """Every record of ``list_destinations``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_destinations(offset=start, top=top, options=options),
        )

    def create_destination(
        self,
        body: types.CreateDestinationRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.IssuedDestination:
        """Create a destination.

        An address that triggers deliver their events to. `signingSecret` is returned only here and when it is rotated; each request is signed with it.

        ``POST /v1/triggers/destinations``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/triggers/destinations",
            body=body,
            options=options,
        )

    def get_destination(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Destination:
        """Get a destination.

        ``GET /v1/triggers/destinations/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/triggers/destinations/{segment(id)}",
            options=options,
        )

    def update_destination(
        self,
        id: str,
        body: types.UpdateDestinationRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.Destination:
        """Change a destination.

        A member that is left out keeps its value. Disabling it holds its deliveries: events are still captured. Enabling it delivers the events of the last 24 hours by itself; older and dead-lettered ones need a replay.

        ``PATCH /v1/triggers/destinations/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PATCH",
            f"/v1/triggers/destinations/{segment(id)}",
            body=body,
            options=options,
        )

    def delete_destination(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete a destination.

        Its open deliveries end, and triggers that name it lose it. Attempts that were made stay visible.

        ``DELETE /v1/triggers/destinations/{id}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/triggers/destinations/{segment(id)}",
            options=options,
        )

    def rotate_destination_secret(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.IssuedDestination:
        """Replace the signing secret of a destination.

        There is no overlap: once this has answered, no request begins that is signed with the former secret, retries of earlier events included.

        ``POST /v1/triggers/destinations/{id}/rotate-secret``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/triggers/destinations/{segment(id)}/rotate-secret",
            options=options,
        )

    def list(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Trigger]:
        """List triggers.

        Newest first.

        ``GET /v1/triggers``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/triggers",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Trigger]:
        """Every record of ``list``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list(offset=start, top=top, options=options),
        )

    def create(
        self,
        body: types.CreateTriggerRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.Trigger:
        """Create a trigger.

        Each firing becomes an event, which is delivered to the destinations. A type that needs a connection answers EMPTY_QUERY without one. Checked in this order: the type, the connection, the destinations, then `configuration` and `filter`. An account has at most 1000 triggers. Creating one that is enabled may call the application, to see where a poll begins or to register an address: if it refuses, the answer is VALIDATION_ERROR on `connectionId` with its words.

        ``POST /v1/triggers``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/triggers",
            body=body,
            options=options,
        )

    def get(
        self,
        trigger_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Trigger:
        """Get a trigger.

        ``GET /v1/triggers/{triggerId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/triggers/{segment(trigger_id)}",
            options=options,
        )

    def update(
        self,
        trigger_id: str,
        body: types.UpdateTriggerRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.Trigger:
        """Change a trigger.

        A member that is left out keeps its value; `configuration` and `destinationIds` are replaced whole. `connectionId` may change within the application; `triggerTypeSlug` may not change. A trigger that is enabled, or gets another configuration or connection, starts anew: nothing that happened before fires. A refusal of its application is answered as at creation.

        ``PATCH /v1/triggers/{triggerId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PATCH",
            f"/v1/triggers/{segment(trigger_id)}",
            body=body,
            options=options,
        )

    def delete(
        self,
        trigger_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete a trigger.

        Its events stay for their 30 days, and their deliveries go on.

        ``DELETE /v1/triggers/{triggerId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/triggers/{segment(trigger_id)}",
            options=options,
        )

    def test(
        self,
        trigger_id: str,
        *,
        destination_id: str | None = None,
        options: RequestOptions | None = None,
    ) -> types.TriggerTestResult:
        """Test a trigger.

        Sends a synthetic event with the payload `{"test": true}`, signed with the destination’s real secret, to the first of the trigger’s destinations, enabled or not, and returns the result of this one attempt. Nothing is stored. A call that sends uses the budget `triggerTestPerMinute`.

        ``POST /v1/triggers/{triggerId}/test``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/triggers/{segment(trigger_id)}/test",
            query={
                "destinationId": destination_id,
            },
            options=options,
        )

    def list_events(
        self,
        *,
        trigger_id: str | None = None,
        destination_id: str | None = None,
        delivery: Literal["pending", "dead_lettered", "held", "delivered", "none"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        after: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Event]:
        """List events.

        The events of the account’s triggers, the latest captured first, also of triggers that were deleted. They are kept for 30 days. To read far, pass the `id` of the last item as `after` for the next page, until a page’s `offset` and its number of items reach `totalCount`. Large pages are streamed: a response that ends early is not valid JSON.

        ``GET /v1/triggers/events``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/triggers/events",
            query={
                "triggerId": trigger_id,
                "destinationId": destination_id,
                "delivery": delivery,
                "from": from_,
                "to": to,
                "after": after,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_events(
        self,
        *,
        trigger_id: str | None = None,
        destination_id: str | None = None,
        delivery: Literal["pending", "dead_lettered", "held", "delivered", "none"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        after: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Event]:
        """Every record of ``list_events``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_events(trigger_id=trigger_id, destination_id=destination_id, delivery=delivery, from_=from_, to=to, after=after, offset=start, top=top, options=options),
        )

    def get_event(
        self,
        event_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.EventDetail:
        """Get an event.

        With all attempts to deliver it, the pending one included.

        ``GET /v1/triggers/events/{eventId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/triggers/events/{segment(event_id)}",
            options=options,
        )

    def get_event_body(
        self,
        event_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.EventBody:
        """Get the body of an event.

        The exact bytes that receivers get and that are signed, on every attempt.

        ``GET /v1/triggers/events/{eventId}/body``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/triggers/events/{segment(event_id)}/body",
            options=options,
        )

    def replay_event(
        self,
        event_id: str,
        *,
        destination_id: str | None = None,
        options: RequestOptions | None = None,
    ) -> types.EventDetail:
        """Replay an event.

        Queues one more attempt, due now, at each destination of the event; if it has none, at those that its trigger has now. A retry that is scheduled becomes due now, and its step is not used up; an attempt that is under way is followed by one more. While a replay is queued, another one is the same attempt; with the destination disabled it waits. CONFLICT once the event has had 1 000 attempts at a destination.

        ``POST /v1/triggers/events/{eventId}/replay``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/triggers/events/{segment(event_id)}/replay",
            query={
                "destinationId": destination_id,
            },
            options=options,
        )

    def replay_events(
        self,
        body: types.ReplayEventsRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.QueuedReplays:
        """Replay many events.

        Replays the matching events, in the background and once each: the oldest ones, at most 10 000. Events without a destination that exists are left out. CONFLICT while that many of earlier requests are still to be replayed.

        ``POST /v1/triggers/events/replay``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/triggers/events/replay",
            body=body,
            options=options,
        )


class Connections:
    """The account’s access to applications, by credentials or by an OAuth sign-in."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        kind: Literal["Regular", "Key", "MCPClient"] | None = None,
        application_slug: str | None = None,
        status: Literal["Active", "NeedsReauthentication", "Blocked"] | None = None,
        end_user_id: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Connection]:
        """List connections.

        Newest first. Connections of kind MCPClient are left out: kind=MCPClient returns an empty page.

        ``GET /v1/connections``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/connections",
            query={
                "kind": kind,
                "applicationSlug": application_slug,
                "status": status,
                "endUserId": end_user_id,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate(
        self,
        *,
        kind: Literal["Regular", "Key", "MCPClient"] | None = None,
        application_slug: str | None = None,
        status: Literal["Active", "NeedsReauthentication", "Blocked"] | None = None,
        end_user_id: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Connection]:
        """Every record of ``list``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list(kind=kind, application_slug=application_slug, status=status, end_user_id=end_user_id, offset=start, top=top, options=options),
        )

    def create(
        self,
        body: types.CreateConnectionRequest,
        *,
        auth_provider_id: int | None = None,
        auth_provider: str | None = None,
        test: bool | None = None,
        options: RequestOptions | None = None,
    ) -> types.Connection:
        """Create a connection.

        Takes credentials in `fields`, or the `oauthState` of a completed sign-in if the method requires one. The first connection of an application becomes its default. The auth provider in the query is used by client-credentials methods only.

        ``POST /v1/connections``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/connections",
            query={
                "authProviderId": auth_provider_id,
                "authProvider": auth_provider,
                "test": test,
            },
            body=body,
            options=options,
        )

    def get(
        self,
        connection_id: int,
        *,
        options: RequestOptions | None = None,
    ) -> types.Connection:
        """Get a connection.

        On-prem agents and connections of kind MCPClient are NOT_FOUND here.

        ``GET /v1/connections/{connectionId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/connections/{segment(connection_id)}",
            options=options,
        )

    def replace(
        self,
        connection_id: int,
        body: types.ReplaceConnectionRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.Connection:
        """Replace a connection.

        Replaces the connection and does not merge: an absent description or metadata is cleared. The id does not change.

        ``PUT /v1/connections/{connectionId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PUT",
            f"/v1/connections/{segment(connection_id)}",
            body=body,
            options=options,
        )

    def delete(
        self,
        connection_id: int,
        *,
        force: bool | None = None,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete a connection.

        Its credentials are deleted with it. A deleted default is not replaced. Refused while an enabled trigger, a toolset or an MCP server uses it: `candidates` names the uses. Registrations of its triggers at the application are removed there first; an application that is away is waited for, for some seconds.

        ``DELETE /v1/connections/{connectionId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/connections/{segment(connection_id)}",
            query={
                "force": force,
            },
            options=options,
        )

    def set_default(
        self,
        connection_id: int,
        *,
        options: RequestOptions | None = None,
    ) -> types.Connection:
        """Make a connection the default.

        Makes it the default of its application in place of the previous one.

        ``PUT /v1/connections/{connectionId}/default``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PUT",
            f"/v1/connections/{segment(connection_id)}/default",
            options=options,
        )

    def test(
        self,
        connection_id: int,
        *,
        options: RequestOptions | None = None,
    ) -> types.ConnectionTestResult:
        """Test a connection.

        Calls the vendor with the connection’s credential and returns the result.

        ``POST /v1/connections/{connectionId}/test``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/connections/{segment(connection_id)}/test",
            options=options,
        )

    def send_request(
        self,
        connection_id: int,
        body: types.SendRequestRequest,
        *,
        dry_run: bool | None = None,
        options: RequestOptions | None = None,
    ) -> types.ExecutionResult:
        """Send a request to the application’s API.

        Calls the vendor’s API with the connection’s credential, only below the application’s own base URL. The result is that of a tool execution, with the tool slug `<applicationSlug>-request`, and recorded as one: `output` holds status, headers and body of the response, a redirect included, which is never followed. A status of 400 or more is isSuccess false.

        ``POST /v1/connections/{connectionId}/request``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/connections/{segment(connection_id)}/request",
            query={
                "dryRun": dry_run,
            },
            body=body,
            options=options,
        )

    def get_sign_in_url(
        self,
        body: types.GetSignInUrlRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.SignInStart:
        """Start an OAuth sign-in.

        Returns the address at which the person signs in, and the state to poll. The address shows a page that names the account, the user, the application and the scopes; its button leads to the vendor. The sign-in is valid for 300 seconds.

        ``POST /v1/connections/get-sign-in-url``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/connections/get-sign-in-url",
            body=body,
            options=options,
        )

    def poll_sign_in(
        self,
        state: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.CompletedSignIn | None:
        """Poll an OAuth sign-in.

        Returns `null` while the sign-in is pending. No response contains a token.

        ``GET /v1/connections/access-token/{state}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/connections/access-token/{segment(state)}",
            options=options,
        )


class EndUsers:
    """Connections of the customers of your product: sessions in which they connect, and what is theirs."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_connect_session(
        self,
        body: types.CreateConnectSessionRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.CreatedConnectSession:
        """Open a connect session for an end user.

        Returns the address of a hosted page on which one of your customers connects applications without your credential, and a token with which scripts of your site read the status of the session: `GET /connect/status`, with the token as bearer, answers as `GET /v1/connect-sessions/{sessionId}` does. Applications of kind MCPClient and OPA cannot be connected. Applications with an OAuth sign-in use the OAuth client that the caller would use.

        ``POST /v1/connect-sessions``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/connect-sessions",
            body=body,
            options=options,
        )

    def get_connect_session(
        self,
        session_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.ConnectSession:
        """Get a connect session.

        A session can be read for seven days after it has expired.

        ``GET /v1/connect-sessions/{sessionId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/connect-sessions/{segment(session_id)}",
            options=options,
        )

    def end_connect_session(
        self,
        session_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """End a connect session.

        Nothing more can be connected in it. Connections that were made in it stay, and the session can still be read.

        ``DELETE /v1/connect-sessions/{sessionId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/connect-sessions/{segment(session_id)}",
            options=options,
        )

    def delete(
        self,
        end_user_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete what is an end user’s.

        Deletes the connections of one of your customers, in use or not, and ends and deletes the connect sessions, and deletes the approvals that name the end user. It succeeds if there is nothing, so that a call can be repeated; after a 504, repeat it. The history of executions stays for its 90 days.

        ``DELETE /v1/end-users/{endUserId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/end-users/{segment(end_user_id)}",
            options=options,
        )


class Operator:
    """Accounts of the installation (create, change, export, erase), its audit log and its signing keys, for its operator. Takes only the operator’s key and counts against no budget."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_accounts(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.OperatedAccount]:
        """List accounts.

        Newest first, including accounts that are being erased.

        ``GET /operator/v1/accounts``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/operator/v1/accounts",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_accounts(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.OperatedAccount]:
        """Every record of ``list_accounts``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_accounts(offset=start, top=top, options=options),
        )

    def create_account(
        self,
        body: types.CreateAccountRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.CreatedAccount:
        """Create an account with its owner.

        Only `name` is required. Returns the owner’s first API key, which cannot be read again.

        ``POST /operator/v1/accounts``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/operator/v1/accounts",
            body=body,
            options=options,
        )

    def get_operated_account(
        self,
        account_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.OperatedAccount:
        """Get an account.

        ``GET /operator/v1/accounts/{accountId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/operator/v1/accounts/{segment(account_id)}",
            options=options,
        )

    def update_operated_account(
        self,
        account_id: str,
        body: types.UpdateOperatedAccountRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.OperatedAccount:
        """Change settings of an account.

        A member or budget that is left out keeps its value. Changes apply on every replica within two seconds.

        ``PATCH /operator/v1/accounts/{accountId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PATCH",
            f"/operator/v1/accounts/{segment(account_id)}",
            body=body,
            options=options,
        )

    def delete_account(
        self,
        account_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Erase an account and all of its data.

        Responds when all data is erased. The account’s credentials are refused from the start. If the erasure fails half-way (503, 504), the account stays closed and the rest is erased as soon as possible; repeat the call to retry at once. Data that a call in progress writes afterwards is erased within minutes.

        ``DELETE /operator/v1/accounts/{accountId}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "DELETE",
            f"/operator/v1/accounts/{segment(account_id)}",
            options=options,
        )

    def export_account(
        self,
        account_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AccountExport:
        """Export all data of an account.

        Returns everything stored about the account, except secrets, as one JSON object that is streamed: a response that ends early is not valid JSON. Kinds of records may be added.

        ``GET /operator/v1/accounts/{accountId}/export``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/operator/v1/accounts/{segment(account_id)}/export",
            options=options,
        )

    def verify_audit_log(
        self,
        account_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AuditReport:
        """Verify that the audit log of an account is unaltered.

        Compares every stored entry with the keyed chain and returns the first entry from which on the log does not hold. Who lacks the keys can change, insert or remove no chained entry unnoticed; removing all entries after a time is noticed only by the hashes in the gateway’s log.

        ``GET /operator/v1/accounts/{accountId}/audit/verify``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/operator/v1/accounts/{segment(account_id)}/audit/verify",
            options=options,
        )

    def list_platform_audit_entries(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.AuditEntry]:
        """List audit entries of the operator and the platform.

        Newest first. The entries outlive the accounts that they concern.

        ``GET /operator/v1/audit``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/operator/v1/audit",
            query={
                "from": from_,
                "to": to,
                "actor": actor,
                "action": action,
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_platform_audit_entries(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.AuditEntry]:
        """Every record of ``list_platform_audit_entries``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_platform_audit_entries(from_=from_, to=to, actor=actor, action=action, offset=start, top=top, options=options),
        )

    def verify_platform_audit_log(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.AuditReport:
        """Verify that the platform’s own audit log is unaltered.

        ``GET /operator/v1/audit/verify``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/operator/v1/audit/verify",
            options=options,
        )

    def rotate_signing_key(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.SigningKeyRotation:
        """Create the next key that signs access tokens.

        The key is published at once and starts to sign ten minutes later; tokens that the old key signed stay valid until they expire. Keys also rotate by age. While a next key is waiting, this returns that key.

        ``POST /operator/v1/signing-keys/rotate``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/operator/v1/signing-keys/rotate",
            options=options,
        )

    def list_canaries(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Canary]:
        """List canaries.

        One for each service that has a canary, with the weights that the processes obey.

        ``GET /operator/v1/canaries``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/operator/v1/canaries",
            query={
                "offset": offset,
                "top": top,
            },
            options=options,
        )

    def iterate_canaries(
        self,
        *,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Canary]:
        """Every record of ``list_canaries``; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.list_canaries(offset=start, top=top, options=options),
        )

    def update_canary(
        self,
        service: str,
        body: types.UpdateCanaryRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.ChangedCanary:
        """Change the weight of a canary.

        Ends an abort. Returns when every process obeys, after at most half a minute. New values of the canary in the chart replace the change; with mode `route`, the next change of the route does.

        ``PATCH /operator/v1/canaries/{service}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "PATCH",
            f"/operator/v1/canaries/{segment(service)}",
            body=body,
            options=options,
        )

    def abort_canary(
        self,
        service: str,
        *,
        by: Literal["operator", "analysis"] | None = None,
        options: RequestOptions | None = None,
    ) -> types.ChangedCanary:
        """Abort a canary.

        Sends all calls to stable, also those of pinned accounts and with `x-canary-<service>`, until a weight is set. With mode `route`, also until the weight of the route was 0. Returns when every process obeys, after at most half a minute.

        ``POST /operator/v1/canaries/{service}/abort``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/operator/v1/canaries/{segment(service)}/abort",
            query={
                "by": by,
            },
            options=options,
        )

    def promote_canary(
        self,
        service: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.PromotedCanary:
        """Promote a canary.

        Sends the calls of all accounts to the canary, and returns the values of the chart that make its release the stable one. Returns when every process obeys, after at most half a minute.

        ``POST /operator/v1/canaries/{service}/promote``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/operator/v1/canaries/{segment(service)}/promote",
            options=options,
        )


class Resources:
    """The resources of the API."""

    def __init__(self, transport: Transport) -> None:
        self.auth = Auth(transport)
        self.applications = Applications(transport)
        self.tools = Tools(transport)
        self.toolsets = Toolsets(transport)
        self.files = Files(transport)
        self.workflows = Workflows(transport)
        self.mcp_servers = McpServers(transport)
        self.administration = Administration(transport)
        self.on_prem_agents = OnPremAgents(transport)
        self.triggers = Triggers(transport)
        self.connections = Connections(transport)
        self.end_users = EndUsers(transport)
        self.operator = Operator(transport)
