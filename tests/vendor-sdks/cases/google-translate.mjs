import { translate } from '@googleapis/translate';

const at = (url) => translate({ version: 'v3', rootUrl: `${url}/`, retry: false }).projects;
const parent = 'projects/acme/locations/us-central1';

export const origin = 'https://translation.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const cases = [
  {
    tool: 'google-translate-translate-texts',
    input: { project: 'acme', texts: ['Hello'], target: 'de' },
    sdk: (url) =>
      at(url).translateText({
        parent: 'projects/acme',
        requestBody: { contents: ['Hello'], targetLanguageCode: 'de', mimeType: 'text/plain' },
      }),
  },
  {
    tool: 'google-translate-detect-language',
    input: { project: 'acme', text: 'Hallo' },
    sdk: (url) => at(url).detectLanguage({ parent: 'projects/acme', requestBody: { content: 'Hallo' } }),
  },
  {
    tool: 'google-translate-list-languages',
    input: { project: 'acme' },
    sdk: (url) => at(url).getSupportedLanguages({ parent: 'projects/acme', displayLanguageCode: 'en' }),
  },
  {
    tool: 'google-translate-romanize-texts',
    input: { project: 'acme', texts: ['東京'], source: 'ja' },
    sdk: (url) =>
      at(url).locations.romanizeText({
        parent,
        requestBody: { contents: ['東京'], sourceLanguageCode: 'ja' },
      }),
  },
  {
    tool: 'google-translate-list-glossaries',
    input: { project: 'acme' },
    top: 50,
    sdk: (url) => at(url).locations.glossaries.list({ parent, pageSize: 50 }),
  },
  {
    tool: 'google-translate-delete-glossary',
    input: { project: 'acme', glossary: 'g1' },
    sdk: (url) => at(url).locations.glossaries.delete({ name: `${parent}/glossaries/g1` }),
  },
];
