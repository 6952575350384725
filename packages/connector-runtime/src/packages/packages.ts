/** The handler of packages is found under this name, which no connector has. */
export const PACKAGES = 'packages';
