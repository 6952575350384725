/** Options of every database call here: one that takes longer fails, because no sign-in may hang on a database in trouble. */
export const OPERATION_LIMIT = { maxTimeMS: 5_000 } as const;
