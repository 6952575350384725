import { routeDefiner } from '@fairlead/rest-kit/route';
import type { Services } from '../services.ts';

/** Declares one operation of the gateway's API; its handler gets the services that it names. */
export const defineRoute = routeDefiner<Services>();
