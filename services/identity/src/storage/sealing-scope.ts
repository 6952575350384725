/** The scope of everything that this service seals: artifacts are looked up before their account is known. */
export const SEALING_SCOPE = 'identity';
