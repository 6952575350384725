import { z } from 'zod';

/** The encoding of a request's parameters. */
export const parameterFormat = z.enum(['form', 'json', 'query']);

/** An OAuth client's authentication. */
export const clientAuthentication = z.enum(['basic', 'body', 'none']);

/** A parameter's name. */
export const parameterName = z.string().min(1).max(100);
