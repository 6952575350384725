/** Applications that an account may import: a replica that serves the account reads all of them. */
export const MAX_IMPORTED = 100;
