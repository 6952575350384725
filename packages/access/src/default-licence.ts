/** The possible licences of a new connection. */
export const DEFAULT_LICENCES = ['active', 'none'] as const;

/** One of DEFAULT_LICENCES. */
export type DefaultLicence = (typeof DEFAULT_LICENCES)[number];
