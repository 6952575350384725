/** The OAuth client of the command line. */
export const CLI_CLIENT_ID = 'fairlead-cli';

/** The OAuth client of the documentation page, for trying operations. */
export const DOCS_CLIENT_ID = 'fairlead-docs';

/** The OAuth client of the page on which users connect applications of their own. */
export const OWN_CONNECTION_CLIENT_ID = 'fairlead-own-connection';

/** The page on which users connect applications of their own, below the public address. */
export const OWN_CONNECTION_PATH = '/own-connection';

/** Where sign-ins of that page return to. */
export const OWN_CONNECTION_SIGNED_IN_PATH = '/own-connection/signed-in';

/** The page at the end of what the user did there. */
export const OWN_CONNECTION_DONE_PATH = '/own-connection/done';

/** Where sign-ins of the documentation page return to, below the public address. */
export const DOCS_SIGNED_IN_PATH = '/docs/signed-in';
