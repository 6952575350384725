/** The right of a credential to read or to write records. */
export type CrmScope = 'crm.read' | 'crm.write';

/** The scopes of a request that names none, and of the API token. */
export const recordScopes: readonly CrmScope[] = ['crm.read', 'crm.write'];

/** The scope that requests a refresh token. */
export const OFFLINE_ACCESS = 'offline_access';

/** All scopes, with their texts on the consent page. */
export const scopeDescriptions: Readonly<Record<string, string>> = {
  openid: 'Know who you are',
  'crm.read': 'See contacts, deals and invoices',
  'crm.write': 'Create, change and delete contacts, deals and invoices',
  [OFFLINE_ACCESS]: 'Keep this access while you are away',
};
