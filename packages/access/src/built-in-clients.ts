/** The OAuth client of the command line. */
export const CLI_CLIENT_ID = 'fairlead-cli';

/** The OAuth client of the documentation page, for trying operations. */
export const DOCS_CLIENT_ID = 'fairlead-docs';

/** The OAuth client of the page on which users connect applications of their own. */
export const OWN_CONNECTION_CLIENT_ID = 'fairlead-own-connection';

/** The page on which users connect applications of their own, below the public address. */
export const OWN_CONNECTION_PATH = '/own-connection';

/** The redirect URI path of that page's sign-ins. */
export const OWN_CONNECTION_SIGNED_IN_PATH = '/own-connection/signed-in';

/** The page that shows the result to the user. */
export const OWN_CONNECTION_DONE_PATH = '/own-connection/done';

/** The redirect URI path of the documentation page's sign-ins, below the public address. */
export const DOCS_SIGNED_IN_PATH = '/docs/signed-in';
