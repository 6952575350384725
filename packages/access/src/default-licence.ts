/** The possible licences of a new connection. */
export type DefaultLicence = 'active' | 'none';
