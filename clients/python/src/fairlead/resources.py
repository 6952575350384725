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

        Answers whose credential it is and what its owner may do.

        ``GET /v1/auth/whoami``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/auth/whoami",
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

        By name, or by relevance with a search. Without a kind the list holds every kind.

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
        """Every record of ``list``, page by page as they are asked for."""
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

        With its authentication methods: what a connection takes.

        ``GET /v1/applications/{slug}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/applications/{segment(slug)}",
            options=options,
        )


class Tools:
    """What applications can do: browse, execute, and read the history."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        application_slug: str | None = None,
        search: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.ToolListItem]:
        """List tools.

        By name, or by relevance with a search. An unknown application gives an empty page.

        ``GET /v1/tools``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/tools",
            query={
                "applicationSlug": application_slug,
                "search": search,
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
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.ToolListItem]:
        """Every record of ``list``, page by page as they are asked for."""
        return iterate(
            offset,
            lambda start: self.list(application_slug=application_slug, search=search, offset=start, top=top, options=options),
        )

    def get(
        self,
        tool_slug: str,
        *,
        application_slug: str | None = None,
        toolset_id: str | None = None,
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
            },
            options=options,
        )

    def execute(
        self,
        tool_slug: str,
        body: types.ExecuteToolRequest | None = None,
        *,
        connection_id: int | None = None,
        toolset_id: str | None = None,
        application_slug: str | None = None,
        end_user_id: str | None = None,
        dry_run: bool | None = None,
        options: RequestOptions | None = None,
    ) -> types.ExecutionResult:
        """Execute a tool.

        Branch on `isSuccess`: what fails at the vendor is a 200 with isSuccess false and errorMessage. The connection is the named one, else the toolset’s, else the account’s default of the application.

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
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Execution]:
        """List executions.

        The history of the account’s tool executions, newest first. It is kept for 90 days.

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
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Execution]:
        """Every record of ``list_executions``, page by page as they are asked for."""
        return iterate(
            offset,
            lambda start: self.list_executions(tool_slug=tool_slug, connection_id=connection_id, is_success=is_success, from_=from_, to=to, offset=start, top=top, options=options),
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


class Connections:
    """The account’s access to applications, by credentials or by an OAuth sign-in."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        kind: Literal["Regular", "Key", "MCPClient"] | None = None,
        end_user_id: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Page[types.Connection]:
        """List connections.

        Newest first. Connections of kind MCPClient are left out: kind=MCPClient gives an empty page.

        ``GET /v1/connections``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            "/v1/connections",
            query={
                "kind": kind,
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
        end_user_id: str | None = None,
        offset: int | None = None,
        top: int | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[types.Connection]:
        """Every record of ``list``, page by page as they are asked for."""
        return iterate(
            offset,
            lambda start: self.list(kind=kind, end_user_id=end_user_id, offset=start, top=top, options=options),
        )

    def create(
        self,
        body: types.CreateConnectionRequest,
        *,
        auth_provider_id: int | None = None,
        auth_provider: str | None = None,
        options: RequestOptions | None = None,
    ) -> types.Connection:
        """Create a connection.

        By credentials in `fields`, or by the `oauthState` of a completed sign-in where the method requires one. The first connection of an application becomes its default. The query’s auth provider counts for client-credentials methods only.

        ``POST /v1/connections``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/connections",
            query={
                "authProviderId": auth_provider_id,
                "authProvider": auth_provider,
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

        On-prem agents and connections of kind MCPClient are not found here.

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

        Replaces and does not merge: an absent description or metadata is cleared. The id stays.

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

        Its credentials go with it. A deleted default is not replaced.

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

        Of its application; the earlier default is one no longer.

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

        Calls the vendor with the connection’s credential and says what came of it.

        ``POST /v1/connections/{connectionId}/test``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/connections/{segment(connection_id)}/test",
            options=options,
        )

    def get_sign_in_url(
        self,
        body: types.GetSignInUrlRequest,
        *,
        options: RequestOptions | None = None,
    ) -> types.SignInStart:
        """Start an OAuth sign-in.

        Answers where the person signs in and the state to poll. The sign-in lives 300 seconds from now.

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

        Answers `null` while the sign-in is pending. Neither answer holds a token.

        ``GET /v1/connections/access-token/{state}``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/connections/access-token/{segment(state)}",
            options=options,
        )


class Administration:
    """Users, API keys, OAuth clients, licences, budgets, audit log and usage of the account, for its owners and admins. A bearer token needs the scope `administration`, too."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_account(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Account:
        """Get the account and its settings.

        Consumes no budget.

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

        What is left out stays, budget by budget. Consumes no budget, so that a spent one can be raised.

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

        Newest first, those who are not active too.

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
        """Every record of ``list_users``, page by page as they are asked for."""
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
        """Make a user of the account.

        A user belongs to this account alone: a person who works in several has a user, with a password, in each. Only an owner may make an owner.

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

        What is left out stays. Only an owner may change an owner or make one; the last active owner can be neither demoted nor deactivated. A new password ends what the user has signed in to, also where that is how this call came.

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

        Newest first, of every user; expired ones too, revoked ones not.

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
        """Every record of ``list_api_keys``, page by page as they are asked for."""
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
        """Make an API key.

        `apiKey` is answered here only. The key acts as its user; only an owner may make a key of an owner.

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

        It stops opening the account within two seconds, for good.

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

        Newest first. Clients that registered themselves belong to no account and are not among them.

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
        """Every record of ``list_oauth_clients``, page by page as they are asked for."""
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
        """Make an OAuth client.

        A confidential client of the account; `clientSecret` is answered here only. Only an owner may make one that acts as an owner.

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

        All its tokens stop within two seconds.

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
        """Every record of ``list_all_connections``, page by page as they are asked for."""
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

        Who did what to which record, newest first: every call that changed something or showed a secret, the operator’s too. Calls that run tools are in the history of executions instead. Entries are kept for 400 days, or as long as the installation says.

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
        """Every record of ``list_audit_entries``, page by page as they are asked for."""
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

        Every UTC day of the last 30, or of the days that begin between `from` and `to`, newest first. Usage goes back 90 days. Calls are counted within seconds.

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
        """Every record of ``get_usage``, page by page as they are asked for."""
        return iterate(
            offset,
            lambda start: self.get_usage(from_=from_, to=to, offset=start, top=top, options=options),
        )


class Operator:
    """Accounts of the installation (make, change, export, erase), its audit log and its signing keys, for whoever runs it. Takes the operator’s key only, and counts against no budget."""

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

        Newest first, those that are being erased too.

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
        """Every record of ``list_accounts``, page by page as they are asked for."""
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
        """Make an account with its owner.

        Only `name` is needed. Answers the owner’s first API key, once.

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

        What is left out stays, budget by budget. Holds on every replica within two seconds.

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

        Answers once nothing is left. From the start on, no credential of the account opens anything. Where it fails half-way (503, 504), the account stays closed and the rest is erased as soon as that is possible; ask again to try at once. What a call that was running at that moment writes after it is erased within minutes.

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
        """Get all data of an account.

        Everything that is kept of the account, but secrets, as one JSON object that is sent while it is read: one that ends early is no JSON. Kinds of records may be added.

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
        """Check that the audit log of an account is as it was written.

        Compares every entry that is kept with the hash chain and names the first batch that does not fit.

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
        """List what the operator and the platform itself did.

        Newest first. It outlives the accounts that it is about.

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
        """Every record of ``list_platform_audit_entries``, page by page as they are asked for."""
        return iterate(
            offset,
            lambda start: self.list_platform_audit_entries(from_=from_, to=to, actor=actor, action=action, offset=start, top=top, options=options),
        )

    def verify_platform_audit_log(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.AuditReport:
        """Check that the platform’s own audit log is as it was written.

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
        """Make the next key that signs access tokens.

        It is published at once and signs ten minutes later; what the old one signed stays valid until it expires. Keys rotate by their age too. While one is on its way, this answers that one.

        ``POST /operator/v1/signing-keys/rotate``
        """
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/operator/v1/signing-keys/rotate",
            options=options,
        )


class Resources:
    """The resources of the API."""

    def __init__(self, transport: Transport) -> None:
        self.auth = Auth(transport)
        self.applications = Applications(transport)
        self.tools = Tools(transport)
        self.connections = Connections(transport)
        self.administration = Administration(transport)
        self.operator = Operator(transport)
