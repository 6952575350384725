/** Our additions to a client's metadata, which only our storage sets: the scopes that an administrator allowed, and the account. */
export const SCOPES_PROPERTY = 'fairlead_scopes';

export const ACCOUNT_PROPERTY = 'fairlead_account_id';
