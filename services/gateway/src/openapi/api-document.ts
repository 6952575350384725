import { openApiDocument } from '@fairlead/rest-kit/openapi/document';
import type { OpenApiDocument } from '@fairlead/rest-kit/openapi/document';
import { routeTable } from '../routes/route-table.ts';
import { recordedExamples } from './recorded-examples.ts';

/** The document's description of the API as a whole (Markdown). */
const API_DESCRIPTION = `Browse applications, connect them, execute their tools and read the history, for one account.

**Credentials.** Send exactly one: \`x-api-key\`, or \`Authorization: Bearer\` with a token issued by the service (OAuth 2.1; its scopes are the permissions). If both are sent, the bearer token is used; an \`Authorization\` header of another scheme is refused even beside a valid key. \`/operator/v1\` takes only the operator’s key.

**Errors.** Every error response carries the error envelope. Branch on \`errorCode\`; treat an unknown one according to its HTTP status. Checks run in this order: unmatched path 404, credential 401, budgets 429, method 405, permission 403, body size 413, media type 415, \`Idempotency-Key\`, body syntax \`MALFORMED_BODY\`, then validation. A record of another account is \`NOT_FOUND\`.

**Budgets.** Calls count against the account’s budgets per UTC second and per UTC hour; searches also count against search budgets. Every response to a valid credential carries \`RateLimit\` and \`RateLimit-Policy\`; a 429 carries \`Retry-After\` and consumes nothing. \`/admin/v1/account\` is exempt, so that an exhausted budget can be raised; it has 10 calls a second of its own. Calls to applications that one account makes at once have a bound too (by default 100 executions, 20 per connection): further ones wait, and get 429 with \`Retry-After: 1\` if none ends in time; nothing was executed. So do all requests that one account has in progress (400), where the 429 comes at once.

**Repeating.** A POST with an \`Idempotency-Key\` (1 to 255 characters) runs once: for 24 h the same key, caller, path, query and body return the first response again, with \`Idempotency-Replayed: true\`; another body is \`IDEMPOTENCY_CONFLICT\`; while the first call runs, \`IDEMPOTENCY_IN_PROGRESS\`. The call runs to completion even if its client disconnects. These responses are not stored, so the next call runs: 401, \`ACCOUNT_USER_INACTIVE\`, 413, 429 and every 5xx. If a crash interrupts the call, its key is free again 15 seconds after the longest time that the call may take; whether that call had an effect is unknown.

**Lists.** \`offset\` and \`top\` (1 to 100) select the page; the response is \`items\`, \`totalCount\`, \`offset\`, \`top\`. Continue until offset + items.length >= totalCount. Values out of range are errors, except where a list says that it clamps them. Records are listed newest first, the catalogue by name, and search results by relevance.

**Requests.** Bodies are JSON objects of at most 5 MiB and 100 000 values, nested at most 32 levels deep. An error names at most 100 fields. An account has at most 8 bodies above 256 KiB in progress at once; further ones wait, and get 429 with \`Retry-After: 1\` if none ends in time. Unknown members and unknown query parameters are ignored, except where a misspelt name would loosen a limit: in the query of an execution or a passthrough request, and in the bodies that write toolsets, MCP servers and API keys. Known ones are checked strictly: a string is not accepted as a number. A repeated or empty query parameter is an error (\`search=\` means no search). Paths are case-sensitive and have no trailing slash.

**Every response** carries \`x-request-id\`: yours if it matches \`[A-Za-z0-9._-]{1,128}\`, otherwise a generated one. Times are ISO 8601 UTC with milliseconds. New members and new error codes may be added at any time.`;

const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Auth: 'Verify a credential.',
  Applications: 'The catalogue of applications and how each one authenticates.',
  Tools: 'The actions that applications offer: browse, execute, and read the history.',
  Workflows: 'Sequences of tool calls that run as one tool.',
  Toolsets: 'Connections and permitted tools as a group, which executions can be confined to.',
  McpServers: 'Endpoints that serve tools and workflows over the Model Context Protocol.',
  Triggers:
    'Events when something changes in a connected application, at certain times, or when somebody calls.',
  'On-prem agents': 'Programs in your own networks that run tools there.',
  Files: 'Files that tools take and return, kept for seven days.',
  'End users':
    'Connections of the customers of your product: sessions in which they connect, and what is theirs.',
  Connections: 'The account’s access to applications, by credentials or by an OAuth sign-in.',
  Administration:
    'Users, API keys, OAuth clients, licences, budgets, audit log and usage of the account, for its owners and admins. A bearer token also needs the scope `administration`.',
  Operator:
    'Accounts of the installation (create, change, export, erase), its audit log and its signing keys, for its operator. Takes only the operator’s key and counts against no budget.',
};

/** The OpenAPI document of the gateway's API at `publicUrl`. */
export function apiDocument(publicUrl: string): OpenApiDocument {
  return openApiDocument(routeTable, publicUrl, {
    title: 'Fairlead API',
    version: 'v1',
    description: API_DESCRIPTION,
    tags: TAG_DESCRIPTIONS,
    examples: recordedExamples(publicUrl),
  });
}
