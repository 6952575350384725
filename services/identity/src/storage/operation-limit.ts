/** Timeout of every database call here: a sign-in must not hang because the database is in trouble. */
export const OPERATION_LIMIT = { maxTimeMS: 5_000 } as const;
