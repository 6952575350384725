/** Members of a client's metadata that only our storage sets: what an administrator allowed, and for which account. */
export const SCOPES_PROPERTY = 'fairlead_scopes';

export const ACCOUNT_PROPERTY = 'fairlead_account_id';
