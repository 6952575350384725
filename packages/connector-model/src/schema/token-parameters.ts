import { z } from 'zod';

/** How the parameters of a request are sent. */
export const parameterFormat = z.enum(['form', 'json', 'query']);

/** How an OAuth client identifies itself. */
export const clientAuthentication = z.enum(['basic', 'body', 'none']);

/** Name of a parameter. */
export const parameterName = z.string().min(1).max(100);
