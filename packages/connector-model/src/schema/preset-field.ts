import { z } from 'zod';
import { fieldDescriptor } from './authentication.ts';
import { TRANSLATION_LANGUAGES } from './translations.ts';

type Language = 'en' | (typeof TRANSLATION_LANGUAGES)[number];

/** A field's texts in one language; `{vendor}` is the application's name, `{where}` the manifest's `where`. */
type Texts = readonly [label: string, description: string, help: string];

interface Preset {
  readonly members: Pick<
    z.input<typeof fieldDescriptor>,
    'name' | 'isPassword' | 'providerSlot' | 'pattern' | 'defaultValue'
  >;
  readonly texts: Readonly<Record<Language, Texts>>;
}

const HELP: Readonly<Record<Language, string>> = {
  en: '{vendor} shows it at {where}.',
  de: '{vendor} zeigt ihn unter {where} an.',
  es: '{vendor} lo muestra en {where}.',
  fr: '{vendor} l’affiche sous {where}.',
  ja: '{vendor} の {where} に表示されます。',
};

const PRESETS = {
  clientId: {
    members: { name: 'clientId', providerSlot: 'Key1' },
    texts: {
      en: ['Client id', 'Client id of the OAuth client registered at {vendor}.', HELP.en],
      de: [
        'Client-ID',
        'Client-ID des OAuth-Clients, der bei {vendor} registriert ist.',
        '{vendor} zeigt sie unter {where} an.',
      ],
      es: ['ID de cliente', 'ID del cliente OAuth registrado en {vendor}.', HELP.es],
      fr: ['ID client', 'ID du client OAuth enregistré chez {vendor}.', HELP.fr],
      ja: ['クライアント ID', '{vendor} に登録した OAuth クライアントの ID。', HELP.ja],
    },
  },
  clientSecret: {
    members: { name: 'clientSecret', isPassword: true, providerSlot: 'Key2' },
    texts: {
      en: ['Client secret', 'Client secret of the OAuth client registered at {vendor}.', HELP.en],
      de: [
        'Client-Geheimnis',
        'Geheimnis des OAuth-Clients, der bei {vendor} registriert ist.',
        '{vendor} zeigt es unter {where} an.',
      ],
      es: ['Secreto de cliente', 'Secreto del cliente OAuth registrado en {vendor}.', HELP.es],
      fr: ['Secret client', 'Secret du client OAuth enregistré chez {vendor}.', HELP.fr],
      ja: ['クライアントシークレット', '{vendor} に登録した OAuth クライアントのシークレット。', HELP.ja],
    },
  },
  apiKey: {
    members: { name: 'apiKey', isPassword: true },
    texts: {
      en: ['API key', 'An API key of your account at {vendor}.', HELP.en],
      de: ['API-Schlüssel', 'Ein API-Schlüssel Ihres Kontos bei {vendor}.', HELP.de],
      es: ['Clave de API', 'Una clave de API de su cuenta de {vendor}.', '{vendor} la muestra en {where}.'],
      fr: ['Clé d’API', 'Une clé d’API de votre compte {vendor}.', HELP.fr],
      ja: ['API キー', '{vendor} のアカウントの API キー。', HELP.ja],
    },
  },
  accessToken: {
    members: { name: 'accessToken', isPassword: true },
    texts: {
      en: ['Access token', 'An access token of your account at {vendor}.', HELP.en],
      de: [
        'Zugriffstoken',
        'Ein Zugriffstoken Ihres Kontos bei {vendor}.',
        '{vendor} zeigt es unter {where} an.',
      ],
      es: ['Token de acceso', 'Un token de acceso de su cuenta de {vendor}.', HELP.es],
      fr: ['Jeton d’accès', 'Un jeton d’accès de votre compte {vendor}.', HELP.fr],
      ja: ['アクセストークン', '{vendor} のアカウントのアクセストークン。', HELP.ja],
    },
  },
  awsAccessKeyId: {
    members: { name: 'accessKeyId', pattern: '[A-Z0-9]{16,128}' },
    texts: {
      en: ['Access key id', 'Id of an access key of your AWS account.', 'AWS shows it at {where}.'],
      de: [
        'Zugriffsschlüssel-ID',
        'Die ID eines Zugriffsschlüssels Ihres AWS-Kontos.',
        'AWS zeigt sie unter {where} an.',
      ],
      es: [
        'ID de clave de acceso',
        'ID de una clave de acceso de su cuenta de AWS.',
        'AWS lo muestra en {where}.',
      ],
      fr: ['ID de clé d’accès', 'ID d’une clé d’accès de votre compte AWS.', 'AWS l’affiche sous {where}.'],
      ja: ['アクセスキー ID', 'AWS アカウントのアクセスキーの ID。', 'AWS の {where} に表示されます。'],
    },
  },
  awsSecretAccessKey: {
    members: { name: 'secretAccessKey', isPassword: true },
    texts: {
      en: [
        'Secret access key',
        'The secret of that access key.',
        'AWS shows it once, when the key is created at {where}.',
      ],
      de: [
        'Geheimer Zugriffsschlüssel',
        'Das Geheimnis dieses Zugriffsschlüssels.',
        'AWS zeigt es einmal an, wenn der Schlüssel unter {where} erstellt wird.',
      ],
      es: [
        'Clave de acceso secreta',
        'El secreto de esa clave de acceso.',
        'AWS la muestra una vez, al crear la clave en {where}.',
      ],
      fr: [
        'Clé d’accès secrète',
        'Le secret de cette clé d’accès.',
        'AWS l’affiche une fois, lors de la création de la clé sous {where}.',
      ],
      ja: [
        'シークレットアクセスキー',
        'そのアクセスキーのシークレット。',
        '{where} でキーを作成したときに一度だけ表示されます。',
      ],
    },
  },
  awsRegion: {
    members: {
      name: 'region',
      pattern: '[a-z]{2}-[a-z]{3,10}-[a-z0-9]{1,10}(?:-[0-9]{1,2})?',
      defaultValue: 'us-east-1',
    },
    texts: {
      en: ['Region', 'The AWS region, such as eu-central-1.', 'AWS shows it at {where}.'],
      de: ['Region', 'Die AWS-Region, etwa eu-central-1.', 'AWS zeigt sie unter {where} an.'],
      es: ['Región', 'La región de AWS, como eu-central-1.', 'AWS la muestra en {where}.'],
      fr: ['Région', 'La région AWS, par exemple eu-central-1.', 'AWS l’affiche sous {where}.'],
      ja: ['リージョン', 'AWS リージョン（例: eu-central-1）。', 'AWS の {where} に表示されます。'],
    },
  },
} as const satisfies Readonly<Record<string, Preset>>;

/** A field that most vendors have, with texts in all languages. */
export const presetField = z
  .strictObject({
    preset: z
      .enum([
        'clientId',
        'clientSecret',
        'apiKey',
        'accessToken',
        'awsAccessKeyId',
        'awsSecretAccessKey',
        'awsRegion',
      ])
      .describe('The field; its name, texts and secrecy are known.'),
    where: z
      .string()
      .min(1)
      .max(200)
      .describe(
        "Where the vendor shows the value, in the words of the vendor's pages: `Settings > API keys`.",
      ),
    helpUrl: z
      .string()
      .max(500)
      .regex(/^https:\/\//, 'must begin with https://')
      .nullable()
      .default(null)
      .describe('Page on which people find the value. Null: none.'),
  })
  .describe('A field that most vendors have: an OAuth client’s id or secret, an API key, an access token.');

/** The complete field of a preset, for an application with this name. */
export function fieldOfPreset(
  { preset, where, helpUrl }: z.output<typeof presetField>,
  vendor: string,
): z.output<typeof fieldDescriptor> {
  const { members, texts } = PRESETS[preset];
  const textsIn = (language: Language) => {
    const [label, description, help] = texts[language].map((text) =>
      text.replaceAll('{vendor}', () => vendor).replaceAll('{where}', () => where),
    );
    return { label: label ?? '', description: description ?? '', help: help ?? '' };
  };
  return fieldDescriptor.parse({
    ...members,
    ...textsIn('en'),
    helpUrl,
    isRequired: true,
    translations: Object.fromEntries(TRANSLATION_LANGUAGES.map((language) => [language, textsIn(language)])),
  });
}
