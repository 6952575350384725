/** The grant types that a confidential client of an account may have. */
export const ACCOUNT_CLIENT_GRANTS = ['authorization_code', 'refresh_token', 'client_credentials'] as const;
