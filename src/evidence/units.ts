import { fold } from '../rank/tokenise.ts';

/** The dimension of a unit, and its factor to the base unit. */
export interface UnitOfMeasure {
  /** `length`, `mass`, `%`, `usd`, `person`; empty for a bare count. */
  dimension: string;
  factor: number;
}

/** Dimension, factor to the base unit, spellings in all languages. */
const TABLE: [string, number, string][] = [
  ['%', 1, '% percent prozent パーセント ポーセント'],
  ['%', 10, '割 成'],
  ['length', 1, 'm metre metres meter meters metern metro metros メートル 米'],
  [
    'length',
    1_000,
    'km kilometre kilometres kilometer kilometers kilometern kilometro kilometros キロメートル キロ 公里 千米',
  ],
  [
    'length',
    0.01,
    'cm centimetre centimetres centimeter centimeters zentimeter zentimetern centimetro centimetros センチメートル センチ 厘米',
  ],
  [
    'length',
    0.001,
    'mm millimetre millimetres millimeter millimeters millimetern milimetro milimetros ミリメートル ミリ 毫米',
  ],
  ['length', 1_609.344, 'mi mile miles meile meilen milla millas マイル 英里'],
  ['length', 0.3048, 'ft foot feet fuss pie pies フィート 英尺'],
  ['length', 0.9144, 'yd yard yards yarda yardas ヤード 码'],
  ['length', 0.0254, 'inch inches zoll pulgada pulgadas インチ 英寸'],
  ['length', 1_852, 'nm seemeile seemeilen 海里'],
  ['length^2', 1e4, 'ha hectare hectares hektar hectarea hectareas ヘクタール 公顷'],
  ['length^2', 4_046.86, 'acre acres エーカー 英亩'],
  ['length^2', 666.67, '亩'],
  ['length^2', 3.3058, '坪'],
  ['length^2', 1e6, '平方キロメートル 平方キロ 平方公里 平方千米 quadratkilometer quadratkilometern km² km2'],
  ['length^2', 1, '平方メートル 平方米 quadratmeter quadratmetern m² m2'],
  ['length^3', 1, '立方メートル 立方米 kubikmeter kubikmetern m³ m3'],
  ['length^3', 0.003785, 'gallon gallons gallone gallonen galon galones ガロン 加仑'],
  ['length^3', 0.159, 'barrel barrels fass barril barriles バレル 桶'],
  [
    'length^3',
    1e-6,
    'ml millilitre millilitres milliliter milliliters mililitro mililitros ミリリットル 毫升',
  ],
  ['length^3', 0.001, 'l litre litres liter liters litern litro litros リットル 升'],
  [
    'mass',
    1,
    'kg kilogram kilograms kilogramm kilogrammes kilo kilos kilogramo kilogramos キログラム 公斤 千克',
  ],
  ['mass', 1_000, 't tonne tonnes ton tons tonnen tonelada toneladas トン 吨'],
  ['mass', 0.001, 'g gram grams gramm gramme grammes gramo gramos グラム 克'],
  ['mass', 0.4536, 'lb lbs pound pounds libra libras'],
  ['mass', 0.02835, 'oz ounce ounces unze unzen onza onzas オンス 盎司'],
  ['mass', 0.5, 'pfund 斤'],
  ['mass', 50, 'zentner'],
  ['mass', 100, 'quintal quintales'],
  ['mass', 1e-6, 'mg milligram milligrams milligramm miligramo miligramos ミリグラム 毫克'],
  ['time', 1, 's second seconds sekunde sekunden segundo segundos 秒 秒間'],
  ['time', 60, 'min minute minutes minuten minuto minutos 分間 分钟 分'],
  ['time', 3_600, 'h hour hours stunde stunden hora horas 時間 小时'],
  ['time', 86_400, 'day days tag tage tagen dia dias 日間 天 日'],
  ['time', 604_800, 'week weeks woche wochen semana semanas 週間 周 星期'],
  ['time', 2_629_800, 'month months monat monate monaten mes meses か月 ヶ月 カ月 个月'],
  ['time', 31_557_600, 'year years jahr jahre jahren ano anos 年間 年'],
  ['power', 1, 'w watt watts vatios ワット 瓦'],
  ['power', 1e3, 'kw kilowatt kilowatts kilovatios キロワット 千瓦'],
  ['power', 1e6, 'mw megawatt megawatts megavatios メガワット 兆瓦'],
  ['power', 1e9, 'gw gigawatt gigawatts gigavatios ギガワット 吉瓦'],
  ['bytes', 1e6, 'mb megabyte megabytes メガバイト'],
  ['bytes', 1e9, 'gb gigabyte gigabytes ギガバイト'],
  ['bytes', 1e12, 'tb terabyte terabytes テラバイト'],
  ['frequency', 1, 'hz hertz ヘルツ 赫兹'],
  ['frequency', 1e6, 'mhz megahertz メガヘルツ 兆赫'],
  ['frequency', 1e9, 'ghz gigahertz ギガヘルツ 吉赫'],
  ['calories', 1, 'kcal kilocalories kilokalorien kilocalorías キロカロリー 千卡 大卡'],
  ['energy', 1, 'kwh'],
  ['energy', 1e3, 'mwh'],
  ['energy', 1e6, 'gwh'],
  ['energy', 1e9, 'twh'],
  ['celsius', 1, '°c ℃ celsius grad grados 度 摄氏度'],
  ['fahrenheit', 1, '°f ℉ fahrenheit 华氏度'],
  ['length/time', 1 / 3.6, 'km/h kmh kph stundenkilometer'],
  ['length/time', 0.44704, 'mph'],
  ['usd', 1, '$ usd dollar dollars dolar dolares 米ドル ドル 美元'],
  ['eur', 1, '€ eur euro euros ユーロ 欧元'],
  ['gbp', 1, '£ gbp 英ポンド ポンド 英镑'],
  ['jpy', 1, 'jpy yen yenes 円 日元'],
  ['cny', 1, 'cny rmb yuan yuanes 元人民币 人民币 人民元 元'],
  [
    'person',
    1,
    'people person persons inhabitant inhabitants resident residents einwohner einwohnern menschen personen habitante habitantes persona personas 人 名 位',
  ],
  ['times', 1, 'times mal veces 倍 回 次'],
  ['age', 1, '歳 岁'],
  [
    '',
    1,
    '個 个 つ 本 台 艘 隻 匹 頭 头 軒 戸 户 校 所 座 棟 栋 件 種 种 冊 册 枚 張 张 家 篇 票 间 室 席 架 辆 両 カ所 か所 ヶ所 种类 種類',
  ],
];

const UNITS = new Map(
  TABLE.flatMap(([dimension, factor, words]) =>
    words.split(' ').map((word): [string, UnitOfMeasure] => [fold(word), { dimension, factor }]),
  ),
);
const DENSE = [...UNITS.keys()]
  .filter((word) => /[^\u0000-\u024F]/.test(word))
  .sort((a, b) => b.length - a.length);
/** Units of one or two letters that are just as often words or names. */
const SHORT_AFTER_BLANK = new Set([
  'm',
  'l',
  't',
  'g',
  's',
  'h',
  'w',
  'mi',
  'nm',
  'ft',
  'min',
  'yd',
  'km',
  'cm',
  'mm',
  'kg',
  'ha',
  'kw',
  'mw',
  'gw',
  'lb',
  'lbs',
]);

const POWERS: [RegExp, number][] = [
  [/^(?:square|sq\.?|quadrat)\s?/i, 2],
  [/^(?:cubic|kubik)\s?/i, 3],
];
const POWERS_AFTER: [RegExp, number][] = [
  [/^(?:\s?cuadrad[oa]s?|²)/i, 2],
  [/^(?:\s?cúbic[oa]s?|³)/i, 3],
];
const PER = /^\s?(?:\/|per\s|pro\s|por\s|an?\s(?=hour|day|week|month|year|second))(\p{L}+)/iu;
const WORD = /^(?:°\s?[CF]\b|%|[$€£]|(?:km|m|cm|mm)[23²³](?!\d)|\p{Script=Latin}+(?:\/h\b)?)/u;

/** `kilowatt-hours` begins with a unit of power. */
const WATT_HOURS = /^(kilo|mega|giga|tera)?(?:watt[-\s]?(?:hours?|stunden?)|vatios?[-\s]hora)(?!\p{L})/iu;
const ENERGY_FACTORS: Record<string, number> = { kilo: 1, mega: 1e3, giga: 1e6, tera: 1e9 };

/** The unit at the start of a text and its length; undefined if the next word is not a unit. */
export function readUnit(rest: string): (UnitOfMeasure & { length: number }) | undefined {
  const blank =
    /^[\s\u00A0]?-?(?:de\s|of\s(?=(?:people|inhabitants|dollars|euros)\b))?/u.exec(rest)?.[0].length ?? 0;
  const text = rest.slice(blank);
  const percent =
    /^(?:per cent|percentage points?|por ciento|Prozentpunkte?n?|puntos porcentuales|ポイント)/iu.exec(
      text,
    )?.[0];
  if (percent !== undefined)
    return {
      dimension: /point|punkt|punto|ポイント/iu.test(percent) ? 'points' : '%',
      factor: 1,
      length: blank + percent.length,
    };
  const degrees = /^(?:degrees?|Grad|grados?)\s(?:Celsius|centígrados|Fahrenheit|[CF]\b)/iu.exec(text)?.[0];
  if (degrees !== undefined) {
    const dimension = /f/i.test(degrees.slice(5)) ? 'fahrenheit' : 'celsius';
    return { dimension, factor: 1, length: blank + degrees.length };
  }
  const energy = WATT_HOURS.exec(text);
  if (energy !== null) {
    const factor = ENERGY_FACTORS[energy[1]?.toLowerCase() ?? ''] ?? 1e-3;
    return { dimension: 'energy', factor, length: blank + energy[0].length };
  }
  // 230万人口: 人口 is the word for population.
  const dense = DENSE.find((word) => text.startsWith(word) && !(word === '人' && text.startsWith('人口')));
  if (dense !== undefined) return { ...(UNITS.get(dense) as UnitOfMeasure), length: blank + dense.length };
  const power = POWERS.find(([pattern]) => pattern.test(text));
  const skipped = power === undefined ? 0 : (power[0].exec(text)?.[0].length ?? 0);
  const word = WORD.exec(text.slice(skipped))?.[0];
  const unit = word === undefined ? undefined : UNITS.get(fold(word).replace(/^°\s/, '°'));
  if (word === undefined || unit === undefined) return undefined;
  if (
    word.length <= 2 &&
    blank === 0 &&
    !SHORT_AFTER_BLANK.has(word.toLowerCase()) &&
    !/[%$€£°²³]/.test(word)
  )
    return undefined;
  const after = text.slice(skipped + word.length);
  const behind = power === undefined ? POWERS_AFTER.find(([pattern]) => pattern.test(after)) : undefined;
  const exponent = power?.[1] ?? behind?.[1] ?? 1;
  const length = blank + skipped + word.length + (behind?.[0].exec(after)?.[0].length ?? 0);
  return withRate(exponent === 1 ? unit : raised(unit, exponent), length, rest);
}

const raised = ({ dimension, factor }: UnitOfMeasure, exponent: number): UnitOfMeasure => ({
  dimension: `${dimension}^${exponent}`,
  factor: factor ** exponent,
});

/** `per second` makes a different unit. */
function withRate(unit: UnitOfMeasure, length: number, rest: string): UnitOfMeasure & { length: number } {
  const per = PER.exec(rest.slice(length));
  const divisor = per === null ? undefined : UNITS.get(fold(per[1] ?? ''));
  if (per === null || divisor === undefined) return { ...unit, length };
  return {
    dimension: `${unit.dimension}/${divisor.dimension}`,
    factor: unit.factor / divisor.factor,
    length: length + per[0].length,
  };
}

/** The currency of a sign before a number. */
export const currencyOf = (sign: string, isChinese: boolean): string | undefined =>
  ({ $: 'usd', '€': 'eur', '£': 'gbp', '¥': isChinese ? 'cny' : 'jpy' })[sign];
