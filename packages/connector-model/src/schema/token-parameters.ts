import { z } from 'zod';

/** Parses to `ParameterFormat` of token-settings.ts. */
export const parameterFormat = z.enum(['form', 'json', 'query']);

/** Parses to `ClientAuthentication` of token-settings.ts. */
export const clientAuthentication = z.enum(['basic', 'body', 'none']);

/** Name of a parameter. */
export const parameterName = z.string().min(1).max(100);
