import type { JsonObject } from '@bufbuild/protobuf';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** States that clients store for us, sealed: they cannot be read, changed, or used for another request. */
export interface RequestStates {
  /** The sealed text. `binding` names the only request that may return it. */
  seal(ctx: RequestContext, binding: readonly string[], state: JsonObject): Promise<string>;
  /** Whether a text has the form of a sealed state. */
  isOwn(text: string): boolean;
  /** Undefined: it was changed, belongs to another request or account, or is older than ten minutes. */
  open(ctx: RequestContext, binding: readonly string[], text: string): Promise<JsonObject | undefined>;
}
