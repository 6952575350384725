/** What a new connection's licence may be. */
export const DEFAULT_LICENCES = ['active', 'none'] as const;

/** One of DEFAULT_LICENCES. */
export type DefaultLicence = (typeof DEFAULT_LICENCES)[number];
