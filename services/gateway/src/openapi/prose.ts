/** What the document says of the API as a whole (Markdown). */
export const API_DESCRIPTION = `Browse applications, connect them, execute their tools and read the history, for one account.

**Credentials.** Send exactly one: \`x-api-key\`, or \`Authorization: Bearer\` with a token issued by the service (OAuth 2.1; its scopes are the permissions). Bearer wins where both are sent; another scheme beside a valid key is refused. \`/operator/v1\` takes the operator’s key only.

**Errors.** Every refusal carries the error envelope. Branch on \`errorCode\`; treat an unknown one as a failure of its status. Checks run in this order: unmatched path 404, credential 401, budgets 429, method 405, permission 403, body size 413, media type 415, \`Idempotency-Key\`, body form \`MALFORMED_BODY\`, then validation. A record of another account is \`NOT_FOUND\`.

**Budgets.** Calls count against their account, by the UTC second and hour; searches against a budget of their own besides. Every answer to a valid credential carries \`RateLimit\` and \`RateLimit-Policy\`; a 429 carries \`Retry-After\` and consumes nothing. \`/admin/v1/account\` is exempt, so that a budget can be raised.

**Repeating.** A POST with an \`Idempotency-Key\` (1 to 255 characters) runs once: for 24 h the same key, caller, path, query and body give the first answer again, with \`Idempotency-Replayed: true\`; another body is \`IDEMPOTENCY_CONFLICT\`; while the first one runs, \`IDEMPOTENCY_IN_PROGRESS\`. It runs to its end even where its client goes away. Not kept, so that the next call runs: 401, \`ACCOUNT_USER_INACTIVE\`, 413, 429 and every 5xx. A key whose call was lost to a crash is free again 15 seconds after the longest time that the call may take; whether that call had an effect is then not known.

**Lists.** \`offset\` and \`top\` (1 to 100) page; the answer is \`items\`, \`totalCount\`, \`offset\`, \`top\`. Continue until offset + items.length >= totalCount. Out of range is an error. Newest first; the catalogue by name; with a search by relevance.

**Requests.** Bodies are JSON objects of at most 5 MiB, nested at most 32 levels deep. Unknown members and unknown query parameters are ignored; known ones are checked strictly: a string is no number. A query parameter given twice or empty is an error (\`search=\` means no search). Paths are case-sensitive and have no trailing slash.

**Every answer** carries \`x-request-id\`: yours where it matches \`[A-Za-z0-9._-]{1,128}\`, else one made for it. Times are ISO 8601 UTC with milliseconds. New members and new error codes may be added at any time.`;

/** What the document says of each tag. */
export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Auth: 'Verify a credential.',
  Applications: 'The catalogue of applications and how each one authenticates.',
  Tools: 'What applications can do: browse, execute, and read the history.',
  Connections: 'The account’s access to applications, by credentials or by an OAuth sign-in.',
  Administration:
    'Users, API keys, OAuth clients, licences, budgets, audit log and usage of the account, for its owners and admins. A bearer token needs the scope `administration`, too.',
  Operator:
    'Accounts of the installation (make, change, export, erase), its audit log and its signing keys, for whoever runs it. Takes the operator’s key only, and counts against no budget.',
};
