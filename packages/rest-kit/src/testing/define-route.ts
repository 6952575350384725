import { routeDefiner } from '../route.ts';

/** Declares a route of a test, which calls no services. */
export const defineRoute = routeDefiner<object>();
