/** How many connections an end user may have in a new account (row completion.connections.85). */
export const DEFAULT_MAX_CONNECTIONS_PER_END_USER = 20;
