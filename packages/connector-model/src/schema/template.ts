import { z } from 'zod';

export const template = z.string().min(1).max(2048);

/** Template strings by name. */
export const templateMap = z.record(z.string(), template);
