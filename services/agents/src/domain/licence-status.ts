/** Whether the licence of an agent's connection permits running tools. */
export type LicenceStatus = 'none' | 'active' | 'expired';
