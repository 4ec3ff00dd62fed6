import { countryCode } from '../../core/countries.ts';
import type { OwnText } from '../../core/text.ts';
import { asked, named, warned } from '../../core/own-text.ts';
import { languageCode } from '../kit/wanted.ts';

/** DuckDuckGo's regions by country. Most are `country-language`; the exceptions are why this is a table. */
const REGIONS: Record<string, Record<string, string>> = {
  ar: { es: 'ar-es' },
  at: { de: 'at-de' },
  au: { en: 'au-en' },
  be: { fr: 'be-fr', nl: 'be-nl' },
  bg: { bg: 'bg-bg' },
  br: { pt: 'br-pt' },
  ca: { en: 'ca-en', fr: 'ca-fr' },
  ch: { de: 'ch-de', fr: 'ch-fr' },
  cl: { es: 'cl-es' },
  cn: { zh: 'cn-zh' },
  co: { es: 'co-es' },
  cz: { cs: 'cz-cs' },
  de: { de: 'de-de' },
  dk: { da: 'dk-da' },
  ee: { et: 'ee-et' },
  es: { es: 'es-es', ca: 'es-ca' },
  fi: { fi: 'fi-fi' },
  fr: { fr: 'fr-fr' },
  gb: { en: 'uk-en' },
  gr: { el: 'gr-el' },
  hk: { zh: 'hk-tzh' },
  hr: { hr: 'hr-hr' },
  hu: { hu: 'hu-hu' },
  id: { en: 'id-en' },
  ie: { en: 'ie-en' },
  il: { en: 'il-en' },
  in: { en: 'in-en' },
  is: { is: 'is-is' },
  it: { it: 'it-it' },
  jp: { ja: 'jp-jp' },
  kr: { ko: 'kr-kr' },
  lt: { lt: 'lt-lt' },
  lv: { lv: 'lv-lv' },
  mx: { es: 'mx-es' },
  my: { en: 'my-en' },
  nl: { nl: 'nl-nl' },
  no: { no: 'no-no' },
  nz: { en: 'nz-en' },
  pe: { es: 'pe-es' },
  ph: { en: 'ph-en' },
  pk: { en: 'pk-en' },
  pl: { pl: 'pl-pl' },
  pt: { pt: 'pt-pt' },
  ro: { ro: 'ro-ro' },
  ru: { ru: 'ru-ru' },
  sa: { ar: 'xa-ar' },
  se: { sv: 'se-sv' },
  sg: { en: 'sg-en' },
  si: { sl: 'sl-sl' },
  sk: { sk: 'sk-sk' },
  th: { en: 'th-en' },
  tr: { tr: 'tr-tr' },
  tw: { zh: 'tw-tzh' },
  ua: { uk: 'ua-uk' },
  us: { en: 'us-en', es: 'us-es' },
  vn: { en: 'vn-en' },
  za: { en: 'za-en' },
};

/** The region for a language alone. English, and languages without a region, have none. */
const HOME: Record<string, string> = {
  ar: 'xa-ar',
  bg: 'bg-bg',
  ca: 'ct-ca',
  cs: 'cz-cs',
  da: 'dk-da',
  de: 'de-de',
  el: 'gr-el',
  es: 'es-es',
  et: 'ee-et',
  fi: 'fi-fi',
  fr: 'fr-fr',
  hr: 'hr-hr',
  hu: 'hu-hu',
  is: 'is-is',
  it: 'it-it',
  ja: 'jp-jp',
  ko: 'kr-kr',
  lt: 'lt-lt',
  lv: 'lv-lv',
  nl: 'nl-nl',
  no: 'no-no',
  pl: 'pl-pl',
  pt: 'pt-pt',
  ro: 'ro-ro',
  ru: 'ru-ru',
  sk: 'sk-sk',
  sl: 'sl-sl',
  sv: 'se-sv',
  tr: 'tr-tr',
  uk: 'ua-uk',
  zh: 'cn-zh',
};

interface Region {
  /** The value of the form's `kl`, when there is one. */
  code?: string;
  /** What part of the request could not be met. */
  warning?: OwnText;
}

/** The region closest to a country (code or name) and a language (ISO 639-1). */
export function regionFor(country: string | undefined, language: string | undefined): Region {
  const spoken = languageCode(language) ?? '';
  if (country === undefined) return language === undefined ? {} : regionForLanguage(language, spoken);
  const languages = REGIONS[countryCode(country) ?? ''];
  if (languages === undefined) {
    return { warning: warned`DuckDuckGo has no region for the country "${asked(country)}"; it was ignored.` };
  }
  const exact = languages[spoken];
  if (exact !== undefined) return { code: exact };
  const [code = ''] = Object.values(languages);
  if (language === undefined) return { code };
  return {
    code,
    warning: warned`DuckDuckGo has no region "${asked(country)}" in "${asked(language)}"; it searched "${named(code)}".`,
  };
}

function regionForLanguage(language: string, spoken: string): Region {
  const code = HOME[spoken];
  const done = code === undefined ? `"${language}" was ignored` : `it searched the region "${code}"`;
  const warning = warned`DuckDuckGo filters by region, not by language; ${named(done)}.`;
  return code === undefined ? { warning } : { code, warning };
}

/** The Accept-Language header of a browser in this region; a requested language comes first. */
export function acceptLanguage(region: string, asked?: string): string {
  const home = Object.entries(REGIONS).flatMap(([country, languages]) =>
    Object.entries(languages).flatMap(([language, code]) => (code === region ? [{ country, language }] : [])),
  )[0];
  const spoken =
    asked ?? home?.language ?? Object.keys(HOME).find((language) => HOME[language] === region) ?? 'en';
  const country = home?.language === spoken ? home.country : spoken === 'en' ? 'us' : undefined;
  const own = country === undefined ? spoken : `${spoken}-${country.toUpperCase()},${spoken};q=0.8`;
  return spoken === 'en' ? own : `${own},en;q=0.5`;
}
