/** The OAuth client of the command line. */
export const CLI_CLIENT_ID = 'fairlead-cli';

/** The OAuth client of the documentation page, for trying operations. */
export const DOCS_CLIENT_ID = 'fairlead-docs';

/** Where sign-ins of the documentation page return to, below the public address. */
export const DOCS_SIGNED_IN_PATH = '/docs/signed-in';
