import { fold } from '../rank/tokenise.ts';
import type { Language } from './language.ts';

/** A meaning that several words express. Words with opposite signs contradict each other. */
export interface Meaning {
  name: string;
  sign: 1 | -1;
}

/**
 * Name, sign, then the words in English | German | Spanish | Japanese | Chinese. `*` marks a stem. Words of
 * one meaning are interchangeable; a meaning with two signs is a pair of opposites.
 */
const MEANINGS = `
change + rise* rose risen rising increas* grow* grew climb* soar* surg* gain* higher raise raises raised raising | steig* stieg* gestieg* anstieg* angestieg* zunahm* zugenommen zunehm* zunimm* ansteig* wachs* wuchs* gewachsen erhöh* höher* | sube* suben subió subid* subir* subiendo aument* crec* increment* | 上昇 増加 増え 上が 伸び 拡大 増大 高ま 値上 | 上升 上涨 增长 增加 提高 攀升 增多 走高 升高 回升 涨 升 增
change - fall fell fallen falling falls decreas* declin* drop* shrank shrink* shrunk plung* plummet* reduc* lower lowers lowered lowering sank slump* | sink* sank* gesunk* fall* fiel* gefallen zurückgegangen zurückgeh* zurückging* abnahm* abgenommen abnehm* abnimm* rückgang* schrumpf* geschrumpft* verringer* niedriger* reduzier* | baja bajan bajó bajad* bajar* bajando disminu* descend* cay* caid* reduc* caer* redujo | 低下 減少 減っ 減り 下が 下落 縮小 減る 値下 下降 | 下降 下跌 减少 降低 下滑 缩减 减退 走低 回落 跌 降 减
permit + allow* permit* authori* | erlaub* gestatt* zulässig* zugelassen genehmig* | permit* autoriz* | 許可 認め 許さ 許し | 允许 准许 许可 批准
permit - prohibit* ban bans banned banning forbid* forbad* forbidden outlaw* | verbiet* verbot* untersag* | prohib* vetó vetado | 禁止 禁じ | 禁止 严禁
legal + legal* lawful* | legal* | legal* | 合法 | 合法
legal - illegal* unlawful* | illegal* rechtswidrig* | ilegal* | 違法 不法 | 非法 违法
safe + safe* harmless | sicher* ungefährlich* harmlos* | segur* inofensiv* | 安全 無害 | 安全 无害
safe - unsafe danger* hazard* harmful | unsicher* gefährlich* schädlich* | peligros* insegur* dañin* | 危険 有害 | 危险 有害 不安全
edible + edible | essbar* genießbar* | comestibl* | 食用 食べ | 可食用 可食 能吃
edible - poison* toxic* inedible | giftig* ungenießbar* | venenos* tóxic* | 有毒 毒性 | 有毒 剧毒
work + effective* efficac* | wirksam* effektiv* | eficaz* eficac* efectiv* | 有効 効果 | 有效 效果 生效
work - ineffective* useless | unwirksam* wirkungslos* | ineficaz* ineficac* | 無効 | 无效 失效
win + win wins won winner* winning victor* defeat* | gewinn* gewann* gewonnen sieg* besieg* | ganó gana ganan ganaron ganado ganador* ganar venc* derrot* | 勝利 優勝 勝っ 破っ | 获胜 胜利 赢得 击败 战胜 夺冠
win - lose* losing lost | verlier* verlor* verloren* | perd* | 敗北 敗れ 負け | 失败 败给 输给 落败
support + support* backed backs backing endors* favour* favor* | unterstütz* befürwort* | apoy* respald* | 支持 賛成 | 支持 赞成
support - oppos* | widersetz* dagegen | opon* opus* | 反対 | 反对
approve + approv* | billig* gebilligt* zustimm* zugestimmt* bewilligt* verabschied* | aprob* | 承認 可決 採択 | 通过 核准
approve - reject* refus* vetoed | ablehn* abgelehnt* lehn* verweiger* | rechaz* deneg* | 拒否 拒絶 否決 却下 | 拒绝 否决 驳回
better + improv* better | verbess* besser* | mejor* | 改善 向上 | 改善 好转
better - worsen* deteriorat* worse | verschlecht* schlechter* | empeor* | 悪化 | 恶化
guilt + guilty convict* | schuldig* verurteilt* | culpable* condenad* | 有罪 | 有罪 定罪
guilt - innocent acquit* | unschuldig* freigesprochen* | inocente* absuel* | 無罪 | 无罪 无辜
strong + strengthen* stronger | stärk* gestärkt* | fortalec* | 強化 強ま | 增强 加强
strong - weaken* weaker | schwäch* geschwächt* | debilit* | 弱体化 弱ま | 削弱 减弱
active + active | aktiv* | activ* | 活発 活動中 | 活跃
active - inactive dormant | inaktiv* erloschen* | inactiv* | 休止 | 休眠 不活跃
surplus + surplus | überschuss | superávit | 黒字 | 盈余 盈利
surplus - deficit loss losses | defizit* verluste | déficit pérdida* | 赤字 損失 | 赤字 亏损
cause + caus* trigger* | verursach* auslös* | caus* provoc* | 引き起こ 原因 招く もたらす | 导致 引起 造成 引发
cause - prevent* avert* | verhinder* vorbeug* | previen* evit* impid* prevenir | 防ぐ 防止 予防 | 防止 预防 阻止 避免
success + succe* | gelang* erfolg* gelung* | logr* éxito | 成功 | 成功
success - fail* | scheiter* gescheitert* misslang* | fracas* | 失敗 | 失败
north + north northern northernmost | norden nördlich* | norte septentrional | 北部 北側 | 北部 以北
north - south southern southernmost | süden südlich* | sur meridional | 南部 南側 | 南部 以南
east + east eastern easternmost | ost östlich* osten | este oriental | 東部 東側 | 东部 以东
east - west western westernmost | west westlich* westen | oeste occidental | 西部 西側 | 西部 以西
size + larg* big bigger biggest | größ* groß* | grande* mayor | 最大 大き | 最大 更大 较大
size - small* tiny | klein* | pequeñ* menor | 最小 小さ | 最小 更小 较小
quick + fast* quick* rapid* | schnell* rasch* | rápid* veloz | 速い 速く 最速 | 快速 更快 最快
quick - slow* | langsam* | lent* | 遅い 遅く 最遅 | 缓慢 更慢 最慢
age + oldest old older | ältest* alt* älter* | antiguo* antigua* viej* | 最古 古い | 最古老 古老
age - newest newer youngest young | jüngst* neuest* neu* | nuev* joven | 最新 新しい | 最新 最年轻
warm + warm* hot hotter | warm* wärmer* heiß* | cálid* calient* | 温暖 暑い 高温 | 温暖 炎热
warm - cold* cool* | kalt* kält* kühl* | frí* | 寒い 寒冷 低温 | 寒冷
live + alive surviv* | überleb* lebend* | sobreviv* viv* | 生存 生き | 存活 幸存
extinct + extinct* | ausgestorben* | extint* extingui* | 絶滅 | 灭绝 绝种
open + open* inaugurat* | eröffn* einweih* eingeweiht öffn* offen | inaugur* abrió abre abren abierto abierta apertura abrirá | 開い 開く 開業 開通 開館 開園 開場 開設 開港 開校 | 开通 通车 开放 开馆 开业 启用 投入使用 开张 开园 开幕
open - closed closes closing closure* shut shuts shutdown | schließ* schloss* geschlossen* stillgelegt* | cerr* clausur* | 閉ま 閉じ 閉鎖 閉館 廃止 廃線 閉園 閉校 | 关闭 停运 关停 停业
build + built build* construct* erect* | bau* gebaut* erbaut* errichte* baute* | constru* edific* levant* | 建設 建造 建てられ 築造 建立 建築 築かれ | 建造 修建 兴建 建设 建于 始建 修筑
complete + complet* finish* conclud* | fertig* abgeschloss* abschließ* vollend* | termin* complet* conclu* | 完成 竣工 完工 落成 | 建成 完工 竣工 落成 完成
begin + begin* began begun start* commenc* | begann* beginn* begonnen* start* | empez* empiez* comenz* comienz* inici* | 開始 着工 始ま 始め 起工 | 开始 开工 动工 启动 奠基
begin - ended ends ending | endet* beendet* ende | acabó finaliz* | 終了 終わ 終結 | 结束 终止 告终
found + founded founder* founding establish* created creates creation | gegründet* gründ* gründung* begründ* entstand* entstanden | fundó fundad* fundar* fundador* fundación establec* cread* creó creación | 創立 設立 創設 創業 結成 創建 発足 | 创办 创立 成立 建立 创建 设立 创始
die + died dies dying death deaths dead killed kills fatalit* | starb* gestorben* verstarb* tod tote toten todesopfer getötet* | murió muri* fallec* muerte muertes muertos muertas | 死去 死亡 死者 没し 亡くな 逝去 | 去世 逝世 病逝 死于 卒于 死亡 遇难 丧生
born + born birth | geboren* geburt* | nació nacid* nacer nace nacimiento | 生まれ 誕生 出生 | 出生 生于 诞生
design + design* architect* | entworfen* entwarf* entwurf* entwirf* gestaltet* architekt* | diseñ* proyect* arquitect* | 設計 デザイン | 设计
write + wrote writ* author* penned | schrieb* geschrieben* verfass* autor* | escri* autor* | 執筆 著し 著者 書い 書か | 撰写 写作 作者 著于 写成 所著 写
publish + publish* releas* issued | veröffentlich* erschien* herausgegeben* publizier* | public* | 出版 発行 発表 刊行 発売 公開 | 出版 发布 发表 发行 上映 推出
invent + invent* | erfund* erfand* erfind* | invent* | 発明 考案 | 发明
discover + discover* | entdeck* | descub* | 発見 | 发现
acquire + acquir* acquisition* bought purchas* buy* takeover | übernahm* übernomm* gekauft* kauft* erworben* erwarb* | adquir* compró compra compraron comprado comprada comprar | 買収 取得 購入 | 收购 购买 并购 买下
located + located situat* headquarter* based lies lie | liegt liegen gelegen* befind* sitz* | situad* ubicad* encuentr* ubic* sede halla | 位置 所在 本社 本部 拠点 | 位于 坐落 总部 地处
lead + headed heads led leads leader* chair chairs chaired chairman chairwoman president director ceo | geleitet* leiter* leitet* chef* vorsitzend* präsident* direktor* | dirig* director* president* presid* encabez* | 社長 会長 理事長 代表 校長 館長 知事 市長 学長 所長 | 董事长 会长 理事长 总裁 校长 馆长 市长 主席 院长 主任 首席
capital + capital | hauptstadt* | capital | 首都 | 首都
named + named called | benannt* heißt genannt* | nombr* llam* denomin* | 命名 名付け 呼ば | 命名 名为 称为
get + receiv* obtain* got gets getting | erhielt* erhalten bekam* bekommen* errang* | recibi* obtuv* obten* consigui* | 得た 得る 獲得 受け取 | 获得 得到 取得
compose + compos* | komponier* vertont* | compuso compuest* componer compositor* | 作曲 | 作曲 谱写 创作
land + land landed lands landing | lande* gelandet* | aterriz* | 着陸 | 着陆 登陆
adopt + adopt* enact* | beschlossen* erlassen* | promulg* | 制定 公布 施行 | 颁布 制定 施行
require + requir* mandat* oblig* | verlang* vorgeschrieben* vorschreib* verpflicht* | exig* oblig* requier* | 義務 必要 | 要求 规定 必须
launch + launch* | gestartet* | lanz* | 打ち上げ | 发射
develop + develop* | entwickel* | desarroll* | 開発 | 开发 研发 研制
recommend + recommend* advis* | empfehl* empfohlen* | recomend* aconsej* | 推奨 勧め | 推荐 建议
connect + connect* links linked linking | verbind* verbunden* | conect* enlaza* une unen | 結ぶ 結んで つなぐ 接続 | 连接 相连
cross + crosses crossed crossing spans spanned | überquer* quert | cruza* atravies* | 横断 横切 | 横跨 跨越 穿越
capacity + capacity seats seating | kapazität* fasst | capacidad aforo | 収容 容量 | 容量 容纳
diameter + diameter | durchmesser* | diámetro | 直径 | 直径
direct + directed directs | inszenier* | | 監督 | 执导 导演
paint + painted paints | gemalt* malte* | pintó pintad* | 描い 描か | 绘制 绘画
own + own owns owned owner* | gehört gehören gehörte besitz* eigentum* eigentüm* | propiedad propietari* pertenec* dueñ* | 所有 | 拥有 属于 所有者
held + held hosted | stattfand* stattgefunden* ausgetragen* | celebr* | 開催 行われ | 举行 举办 召开
introduce + introduc* | eingeführt* einführ* | introduj* introduc* | 導入 | 引入 引进 实施
export + export* | export* | export* | 輸出 | 出口
import + import imports imported importing | import* | import* | 輸入 | 进口
hurt + injur* wounded | verletzt* | herid* | 負傷 けが | 受伤
damage + damag* | beschädig* | dañad* dañó | 損傷 被害 | 受损 损坏
affect + affect* influenc* | beeinfluss* | afect* | 影響 | 影响
boil + boil* | siede* | hierv* ebullición | 沸点 沸騰 | 沸点 沸腾
elected + elect* appoint* | gewählt* ernannt* wählte* | elegid* eligi* nombrad* | 選出 就任 任命 当選 | 当选 就任 任命 选举
signed + signed signs signing signature ratif* | unterzeichn* ratifizier* | firm* ratific* | 調印 署名 締結 批准 | 签署 签订 缔结
abolish + abolish* repeal* demolish* dissol* | abgeschafft* abgerissen* aufgelöst* | abol* derog* demol* disol* disuel* | 解体 解散 取り壊 | 废除 拆除 解散
restore + restor* renovat* refurbish* rebuil* | renovier* restaurier* saniert* | restaur* renov* rehabilit* | 改修 修復 再建 改装 復元 | 翻修 修复 重建 改建 整修
people + population* inhabitant* resident* live lives lived living dwell* | bevölkerung* einwohner* leb* wohn* | población poblac* habitant* viv* resid* | 人口 住民 住ん 住む 居住 暮ら 住み | 人口 居民 居住 生活 常住
staff + employ* staff* workforce worker* job* | beschäftig* mitarbeit* angestellt* belegschaft* arbeitet* arbeiten | emplea* trabaj* plantilla | 従業員 社員 雇用 職員 働い | 员工 雇员 职工 雇用 雇佣
cost + cost costs costing price* expens* | kost* preis* | cuesta* costó costo costos coste costes costar* costaron precio* | 建設費 総工費 工費 費用 総事業費 事業費 価格 値段 | 造价 耗资 费用 成本 价格 总投资 花费
revenue + revenue* sales turnover | umsatz* umsätze erlös* | ingresos factur* ventas | 売上高 売上 売り上げ | 营业额 营收 营业收入 收入 销售额
profit + profit* earning* | gewinne* gewinns | beneficio* ganancia* utilidad* | 利益 純利益 | 利润 净利
length + long length* stretch* extend* longer longest | lang länge* längst* länger* erstreck* | largo larga longitud | 全長 長さ 延長 | 全长 长度 总长 长达 绵延
height + tall high height* taller highest tallest | hoch höhe* hohe* höchst* | alto alta altura | 高さ 標高 | 高度 高达 海拔
width + wide width* broad* | breit* breite* | ancho ancha anchura | 幅 | 宽度 宽达
depth + deep depth* deeper deepest | tief* tiefe* | hondo profund* | 深さ 水深 | 深度 深达 水深
area + area areas covers covered covering acreage | fläch* | superficie área extensión | 面積 | 面积 占地
weight + weigh* weight* heavy | wieg* gewicht* schwer | pesa pesan pesó peso pesaba | 重さ 重量 体重 | 重量 重达 体重
speed + speed* velocity | geschwindig* tempo | velocidad* | 速度 時速 | 速度 时速
protect + protect* | schütz* schutz | proteg* protecc* | 保護 守る 防御 | 保护 防护
make + produc* generat* manufactur* output | erzeug* produzier* produktion* herstell* hergestellt | produc* gener* fabric* | 生産 製造 産出 | 生产 制造 产量 产出
power + electric* | strom stroms strombedarf* stromverbrauch* elektriz* | electric* | 電力 発電 電気 | 电力 发电 用电
sell + sold sell* | verkauf* | vend* | 販売 売れ 売却 | 销售 售出 卖出
visit + visit* | besuch* | visit* | 来館者 来場者 訪問者 観光客 訪れ | 游客 参观 访客 到访
study + student* enrol* attend* pupil* | student* studier* schüler* | estudiant* alumn* | 学生 生徒 在籍 | 学生 在校
use + use uses used using usage | benutz* verwend* nutz* genutzt* | utiliz* usa usan usado usada usó usar uso | 使用 利用 使わ 使う 使い 使っ | 使用 利用 采用 用于
speak + speak* spoke* spoken | sprech* gesprochen* spricht | habl* | 話さ 話す 話者 | 使用者 讲
eat + eat eats eating eaten feeds feeding diet | fress* frisst ernähr* isst | come comen comer comía aliment* | 食べる 捕食 餌 | 进食 捕食 以为食
contain + contain* consist* compris* includ* | enthält* enthalten* besteht umfass* | contien* conten* comprend* inclu* consta* | 含む 含ま 含有 構成 | 包含 包括 含有 组成
carry + carr* transport* | transportier* beförder* | transport* llev* | 輸送 運搬 運ぶ 積載 | 运输 运载 运送
wind + wind | wind windkraft windenergie | viento eólic* | 風力 | 风力 风电
rent + rent* | miet* | alquiler* | 家賃 賃料 | 房租 租金
unemployment + unemploy* jobless* | arbeitslos* | desempleo paro | 失業 | 失业
swim + swim* swam | schwimm* | nadar nada nadan nadador* | 泳 水泳 | 游泳 游水
fly + fly flies flew flying flight* | flieg* flog* | vuela* volar volaba vuelo* | 飛ぶ 飛べ 飛行 | 飞行 会飞
believe + confirm* verif* prove* proof | bestätig* bewies* bewiesen* nachgewiesen* | confirm* comprob* prueba* demuestr* | 確認 証明 | 证实 确认 证明
believe - deny denied denies refut* disprov* myth* false* debunk* | bestreit* bestritt* widerleg* falsch* mythos | niega* negó negaron negar desmient* desmint* refut* falso mito | 否定 否認 誤り 嘘 デマ | 否认 否定 谣言 辟谣 错误
enough + enough sufficien* | ausreich* genug genüg* | suficien* | 十分 足り | 足够 充足
enough - insufficien* shortage* lack* | mangel* unzureich* | insuficien* falta* escas* | 不足 | 不足 短缺 缺乏
before + before earlier | bevor vorher früher | antes | 以前 前に | 之前 以前
before - after later | nachdem nachher später | después | 以後 後に | 之后 以后
most + most majority mostly | meist* mehrheit* | mayoría | 大半 大部分 ほとんど 多くの | 大多数 大部分 多数
most - few minority rarely seldom | wenige minderheit* selten | poc* minoría | 少数 わずか まれ | 少数 极少 很少
all + all every always everywhere entire* | alle allen aller immer jede* sämtlich* | todo* toda* siempre | すべて 全て 常に 全員 | 全部 所有 总是 一切
some + sometimes partly several | einige manche manchmal teils | algun* veces | 一部 時々 いくつか | 一些 部分 有时 有些
only + only solely exclusively | nur lediglich ausschließlich | solo sólo solamente únicamente exclusivamente | のみ だけ | 只 仅 只有 仅有
first + first | erst* | primer* | 初め 初の 最初 | 首次 首个 第一
first - last final | letzt* | últim* | 最後 最終 | 最后 最终
`;

/** Events that happen once: who, where and when have one answer. */
const UNIQUE = new Set(
  'open close build complete begin found die born design write publish invent discover acquire located lead capital named elected signed abolish extinct first held introduce compose land adopt launch develop'.split(
    ' ',
  ),
);
export const isUnique = (meaning: string): boolean => UNIQUE.has(meaning);

/** Meanings that name a measure. */
const MEASURES = new Set(
  'people staff cost revenue profit length height width depth area weight speed study visit make capacity diameter'.split(
    ' ',
  ),
);
export const isMeasure = (meaning: string): boolean => MEASURES.has(meaning);

/** Measures that do not change over the years. */
const FIXED = new Set('length height width depth area'.split(' '));
export const isFixed = (meaning: string): boolean => FIXED.has(meaning);

/** Synonyms for things: subjects of a statement, not predicates. */
const THINGS = new Set('rent unemployment wind power'.split(' '));
export const isThing = (meaning: string): boolean => THINGS.has(meaning);

const LANGUAGES: Language[] = ['en', 'de', 'es', 'ja', 'zh'];

interface Words {
  exact: Map<string, Meaning>;
  /** Stems by their first two characters, longest first. */
  prefixes: Map<string, [string, Meaning][]>;
}

const words = Object.fromEntries(
  LANGUAGES.map((language): [Language, Words] => [language, { exact: new Map(), prefixes: new Map() }]),
) as Record<Language, Words>;

for (const line of MEANINGS.trim().split('\n')) {
  const [, name = '', sign, rest = ''] = /^(\w+) ([+-]) (.*)$/.exec(line) ?? [];
  for (const [index, list] of rest.split('|').entries())
    addWords(LANGUAGES[index] as Language, list, { name, sign: sign === '-' ? -1 : 1 });
}

function addWords(language: Language, list: string, meaning: Meaning): void {
  const { exact, prefixes } = words[language];
  for (const word of list.trim().split(/\s+/).filter(Boolean)) {
    const plain = language === 'ja' || language === 'zh' ? word : fold(word);
    if (plain.endsWith('*'))
      prefixes.set(plain.slice(0, 2), [
        ...(prefixes.get(plain.slice(0, 2)) ?? []),
        [plain.slice(0, -1), meaning],
      ]);
    else if (!exact.has(plain)) exact.set(plain, meaning);
  }
}

for (const { prefixes } of Object.values(words))
  for (const list of prefixes.values()) list.sort(([a], [b]) => b.length - a.length);

/** The meaning of a folded word in a spaced language. */
export function meaningOf(word: string, language: Language): Meaning | undefined {
  const { exact, prefixes } = words[language];
  const found = exact.get(word);
  if (found !== undefined) return found;
  // Short stems take short endings only: `ban` is not in `banana`.
  const begun = prefixes
    .get(word.slice(0, 2))
    ?.find(
      ([prefix]) => word.startsWith(prefix) && (prefix.length > 3 || word.length <= prefix.length + 3),
    )?.[1];
  // gekostet, from kosten.
  return (
    begun ?? (language === 'de' && /^ge.{3,}t$/.test(word) ? meaningOf(word.slice(2), language) : undefined)
  );
}

/** The longest Japanese or Chinese word with a meaning that starts at a position. */
export function denseMeaning(
  text: string,
  at: number,
  language: Language,
): (Meaning & { length: number }) | undefined {
  const { exact } = words[language];
  for (let length = 5; length >= 1; length -= 1) {
    const found = exact.get(text.slice(at, at + length));
    if (found !== undefined) return { ...found, length };
  }
  return undefined;
}
