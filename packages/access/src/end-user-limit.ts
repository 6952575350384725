/** How many connections an end user may have in a new account (completion.md "Connections"). */
export const DEFAULT_MAX_CONNECTIONS_PER_END_USER = 20;
