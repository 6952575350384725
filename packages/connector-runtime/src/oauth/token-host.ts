import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import { CallFailure } from '../failure.ts';
import type { TemplateValues } from '../templates.ts';
import { renderUrl } from '../url-template.ts';

/** The host (with port) of a scheme's token endpoint; undefined if `values` do not determine it. */
export function tokenHost(
  { tokenUrl, refresh }: Pick<OAuth2Scheme, 'tokenUrl' | 'refresh'>,
  values: TemplateValues,
): string | undefined {
  try {
    return renderUrl(refresh.url ?? tokenUrl, values).host;
  } catch (error) {
    if (error instanceof CallFailure) return undefined;
    throw error;
  }
}
