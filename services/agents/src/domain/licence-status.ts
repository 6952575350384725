/** The permission of an agent's connection to run tools. */
export type LicenceStatus = 'none' | 'active' | 'expired';
