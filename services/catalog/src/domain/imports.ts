/** Applications that an account may import; limited, because each replica that serves the account reads all of them. */
export const MAX_IMPORTED = 100;
