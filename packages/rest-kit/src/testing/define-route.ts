import { routeDefiner } from '../route.ts';

/** Declares a test route that calls no services. */
export const defineRoute = routeDefiner<object>();
