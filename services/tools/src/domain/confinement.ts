import { ApiError } from '@fairlead/errors/api-error';
import type { UserCaller } from '@fairlead/service-kit/context/caller';

/** The restricted API key of a caller, and its toolset; undefined: the caller is not restricted. */
export type Confinement = UserCaller['confinement'];

/** The toolset of a call, considering the caller's restriction. FORBIDDEN for any toolset but the key's own. */
export function confinedToolset(confinement: Confinement, toolsetId: string | undefined): string | undefined {
  if (confinement === undefined) return toolsetId;
  if (toolsetId !== undefined && toolsetId !== confinement.toolsetId)
    throw new ApiError('FORBIDDEN', 'The API key is confined to another toolset.');
  return confinement.toolsetId;
}
