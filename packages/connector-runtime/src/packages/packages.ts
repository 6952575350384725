/** Name of the handler that runs packages; no connector has this name. */
export const PACKAGES = 'packages';
