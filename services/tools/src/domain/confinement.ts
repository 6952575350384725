import { ApiError } from '@fairlead/errors/api-error';
import type { UserCaller } from '@fairlead/service-kit/context/caller';

/** The toolset that a caller's API key is confined to, and that key; undefined: none. */
export type Confinement = UserCaller['confinement'];

/** The toolset of a call within the caller's confinement. FORBIDDEN for another one than its own. */
export function confinedToolset(confinement: Confinement, toolsetId: string | undefined): string | undefined {
  if (confinement === undefined) return toolsetId;
  if (toolsetId !== undefined && toolsetId !== confinement.toolsetId)
    throw new ApiError('FORBIDDEN', 'The API key is confined to another toolset.');
  return confinement.toolsetId;
}
