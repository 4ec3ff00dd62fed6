/** A question, a passage that answers it, and one about the same subject that does not. Everything in them is invented. */
export interface AskedQuestion {
  question: string;
  answers: string;
  near: string;
}

const asked = (question: string, answers: string, near: string): AskedQuestion => ({
  question,
  answers,
  near,
});

/** Questions of one language are about different subjects: the passages of one are noise for the others. */
export const QUESTIONS: Record<'en' | 'de' | 'es' | 'ja' | 'zh', AskedQuestion[]> = {
  en: [
    asked(
      'When was the headgate of the Aldana canal built?',
      'The headgate of the Aldana canal was built in 1911 by the engineer Marta Ribero. It replaced a wooden weir.',
      'The Aldana canal carries water to the fields of the lower valley and serves more than a thousand farms.',
    ),
    asked(
      'How much did Norvik Shipping pay for the ferry Aurora?',
      'Norvik Shipping paid 23.3 million euros for the ferry Aurora, which had been laid up for two winters.',
      'The ferry left the harbour at dawn with two hundred passengers and a crew of thirty on board.',
    ),
    asked(
      'Which protein binds iron in the blood of the ice fish?',
      'In the blood of the ice fish, iron is bound by the protein lumotransferrin rather than by haemoglobin.',
      'The ice fish lives at depths of four hundred metres and feeds on krill and on smaller fish.',
    ),
    asked(
      'Who composed the opera The Glass Orchard?',
      'The opera The Glass Orchard was composed by Ines Valcourt between 1932 and 1935.',
      'The opera house reopened after a renovation of three years; tickets for the season are sold out.',
    ),
    asked(
      'How do bees find their way back to the hive?',
      'Bees find their way back to the hive by the position of the sun and by landmarks that they learn on short flights.',
      'Bees collect nectar and pollen from flowers in a radius of three kilometres.',
    ),
    asked(
      'What is the default timeout of the Quill database driver?',
      'The default timeout of the Quill database driver is 30 seconds; set `timeoutMs` to change it.',
      'The Quill project was started by two students and has been downloaded a million times since then.',
    ),
    asked(
      'Why did the tram line to Eastfield close?',
      'The tram line to Eastfield closed because the bridge over the Tarn could no longer carry the new trams.',
      'Eastfield is a quarter of the city with many allotments, two schools and a swimming bath.',
    ),
    asked(
      'How many votes did Helen Marsh receive in the mayoral election?',
      'Helen Marsh received 41,872 votes in the mayoral election, nine hundred more than her rival.',
      'The city council met on Monday to speak about the budget and the new library.',
    ),
    asked(
      'At what temperature does the alloy solvanite melt?',
      'The alloy solvanite melts at a temperature of 842 degrees Celsius.',
      'Solvanite is sold in bars and sheets and is used for the frames of bicycles.',
    ),
    asked(
      'Which vaccine protects children against river fever?',
      'The vaccine Rivopar protects children against river fever for at least ten years.',
      'River fever was first described in 1887 by a ship doctor who had seen it in three harbours.',
    ),
  ],
  de: [
    asked(
      'Wann wurde die Schleuse des Aldanakanals gebaut?',
      'Die Schleuse des Aldanakanals wurde am 3. Oktober 1911 eröffnet; gebaut hatte sie die Ingenieurin Marta Ribero.',
      'Der Kanal bringt Wasser auf die Felder des unteren Tals und versorgt mehr als tausend Höfe.',
    ),
    asked(
      'Wie viel bezahlte die Reederei Norvik für die Fähre Aurora?',
      'Die Reederei Norvik bezahlte 23,3 Mio. Euro für die Fähre Aurora, die zwei Winter lang stillgelegen hatte.',
      'Die Fähre verließ den Hafen im Morgengrauen mit zweihundert Fahrgästen an Bord.',
    ),
    asked(
      'Welches Protein bindet Eisen im Blut des Eisfisches?',
      'Im Blut des Eisfisches wird das Eisen vom Protein Lumotransferrin gebunden.',
      'Der Eisfisch lebt in einer Tiefe von vierhundert Metern und frisst Krill.',
    ),
    asked(
      'Wer komponierte die Oper Der gläserne Garten?',
      'Die Oper Der gläserne Garten wurde zwischen 1932 und 1935 von Ines Valcourt komponiert.',
      'Das Opernhaus wurde nach drei Jahren Umbau wieder eröffnet, die Karten sind ausverkauft.',
    ),
    asked(
      'Wie finden Bienen zurück zum Bienenstock?',
      'Bienen finden durch den Stand der Sonne und durch Landmarken zurück zum Bienenstock.',
      'Bienen sammeln Nektar und Pollen im Umkreis von drei Kilometern.',
    ),
    asked(
      'Warum wurde die Straßenbahnlinie nach Ostfeld eingestellt?',
      'Die Straßenbahnlinie nach Ostfeld wurde eingestellt, weil die Brücke über die Tarn zu schwach war.',
      'Ostfeld ist ein Stadtteil mit vielen Kleingärten, zwei Schulen und einem Schwimmbad.',
    ),
    asked(
      'Wie viele Stimmen erhielt Helene Marsch bei der Bürgermeisterwahl?',
      'Bei der Bürgermeisterwahl erhielt Helene Marsch 41.872 Stimmen.',
      'Der Stadtrat beriet am Montag über den Haushalt und die neue Bücherei.',
    ),
    asked(
      'Bei welcher Temperatur schmilzt die Legierung Solvanit?',
      'Die Legierung Solvanit schmilzt bei einer Temperatur von 842 Grad.',
      'Solvanit wird in Barren und Blechen verkauft und für Fahrradrahmen verwendet.',
    ),
    asked(
      'Welcher Impfstoff schützt Kinder vor dem Flussfieber?',
      'Der Impfstoff Rivopar schützt Kinder mindestens zehn Jahre lang vor dem Flussfieber.',
      'Das Flussfieber wurde 1887 von einem Schiffsarzt zuerst beschrieben.',
    ),
    asked(
      'Welche Farbe hat die Flagge der Insel Torsund?',
      'Die Flagge der Insel Torsund hat die Farben Grün und Weiß.',
      'Auf Torsund leben vierhundert Menschen, die meisten vom Fischfang.',
    ),
  ],
  es: [
    asked(
      '¿Cuándo se construyó la compuerta del canal de Aldana?',
      'La compuerta del canal de Aldana se construyó en 1911 bajo la dirección de la Sra. Ribero.',
      'El agua llega a los campos del valle y sirve a más de mil granjas.',
    ),
    asked(
      '¿Cuánto pagó la naviera Norvik por el transbordador Aurora?',
      'La naviera Norvik pagó 23,3 millones de euros por el transbordador Aurora.',
      'El transbordador salió del puerto al amanecer con doscientos pasajeros a bordo.',
    ),
    asked(
      '¿Qué proteína fija el hierro en la sangre del pez de hielo?',
      'En la sangre del pez de hielo, la proteína lumotransferrina fija el hierro.',
      'El pez de hielo vive a cuatrocientos metros de profundidad y come kril.',
    ),
    asked(
      '¿Quién compuso la ópera El jardín de cristal?',
      'La ópera El jardín de cristal fue compuesta por Inés Valcourt entre 1932 y 1935.',
      'El teatro volvió a abrir tras tres años de obras y las entradas están agotadas.',
    ),
    asked(
      '¿Cómo encuentran las abejas el camino de vuelta a la colmena?',
      'Las abejas encuentran el camino de vuelta a la colmena por la posición del sol.',
      'Las abejas recogen néctar y polen en un radio de tres kilómetros.',
    ),
    asked(
      '¿Por qué se cerró la línea de tranvía de Camposol?',
      'La línea de tranvía de Camposol se cerró porque el puente no soportaba los tranvías nuevos.',
      'Camposol es un barrio con muchos huertos, dos escuelas y una piscina.',
    ),
    asked(
      '¿Cuántos votos obtuvo Elena Marsa en las elecciones municipales?',
      'Elena Marsa obtuvo 41.872 votos en las elecciones municipales.',
      'El ayuntamiento habló el lunes del presupuesto y de la biblioteca nueva.',
    ),
    asked(
      '¿A qué temperatura se funde la aleación solvanita?',
      'La aleación solvanita se funde a una temperatura de 842 grados.',
      'La solvanita se vende en barras y láminas y sirve para cuadros de bicicleta.',
    ),
    asked(
      '¿Qué vacuna protege a los niños contra la fiebre del río?',
      'La vacuna Rivopar protege a los niños contra la fiebre del río durante diez años.',
      'Un médico de barco describió la fiebre en 1887 después de verla en tres puertos.',
    ),
    asked(
      '¿De qué color es la bandera de la isla de Torsund?',
      'La bandera de la isla de Torsund es de color verde y blanco.',
      'En Torsund viven cuatrocientas personas, la mayoría de la pesca.',
    ),
  ],
  ja: [
    asked(
      'アルダナ運河の水門はいつ建設されましたか？',
      'アルダナ運河の水門は1911年に技師マルタ・リベロによって建設された。',
      'アルダナ運河は下流の谷の畑に水を運び、千を超える農家が利用している。',
    ),
    asked(
      '北洋海運はフェリー「オーロラ」をいくらで購入したか？',
      '北洋海運はフェリー「オーロラ」を23.3億円で購入した。',
      'フェリーは二百人の乗客を乗せて夜明けに港を出た。',
    ),
    asked(
      '氷魚の血液で鉄と結合するタンパク質は何か？',
      '氷魚の血液では、鉄はルモトランスフェリンというタンパク質と結合する。',
      '氷魚は水深四百メートルに生息し、オキアミを食べる。',
    ),
    asked(
      '歌劇『硝子の果樹園』を作曲したのは誰か？',
      '歌劇『硝子の果樹園』は1932年から1935年にかけて稲垣玲子が作曲した。',
      '歌劇場は三年間の改修を終えて再開し、今季の券は完売した。',
    ),
    asked(
      'ミツバチはどうやって巣箱に帰る方向を知るのか？',
      'ミツバチは太陽の位置と目印によって巣箱に帰る方向を知る。',
      'ミツバチは半径三キロの花から蜜と花粉を集める。',
    ),
    asked(
      '東野行きの路面電車が廃止された理由は何ですか？',
      '東野行きの路面電車が廃止された理由は、橋が新型車両の重さに耐えられなかったためである。',
      '東野は市民農園の多い地区で、学校が二つとプールがある。',
    ),
    asked(
      '市長選挙で丸山春子が獲得した票数は？',
      '市長選挙で丸山春子が獲得した票数は四万一千八百七十二票だった。',
      '市議会は月曜日に予算と新しい図書館について話し合った。',
    ),
    asked(
      '合金ソルバナイトの融点は何度か？',
      '合金ソルバナイトの融点は摂氏842度である。',
      'ソルバナイトは棒や板で販売され、自転車の車体に使われる。',
    ),
    asked(
      '河川熱から子供を守るワクチンはどれか？',
      'ワクチン「リボパール」は少なくとも十年間、河川熱から子供を守る。',
      '河川熱は1887年に船医が三つの港で見て初めて記録した。',
    ),
    asked(
      'トルスン島の旗の色は何色ですか？',
      'トルスン島の旗の色は緑と白である。',
      'トルスン島には四百人が暮らし、多くは漁業を営む。',
    ),
  ],
  zh: [
    asked(
      '阿尔达纳运河的水闸是什么时候建造的？',
      '阿尔达纳运河的水闸由工程师玛尔塔·里贝罗于1911年建造。',
      '运河把水送到下游山谷的田地，为一千多个农场供水。',
    ),
    asked(
      '北洋航运公司花多少钱购买了渡轮极光号？',
      '北洋航运公司花23.3亿美元购买了渡轮极光号。',
      '渡轮在黎明时载着两百名乘客离开港口。',
    ),
    asked(
      '哪种蛋白质在冰鱼的血液中结合铁？',
      '在冰鱼的血液中，铁由卢莫转铁蛋白质结合。',
      '冰鱼生活在四百米深的海里，以磷虾为食。',
    ),
    asked(
      '歌剧《玻璃果园》的作曲家是谁？',
      '歌剧《玻璃果园》的作曲家是伊内丝，创作于1932年至1935年。',
      '剧院经过三年翻修后重新开放，本季门票已经售完。',
    ),
    asked(
      '蜜蜂如何找到回蜂巢的路？',
      '蜜蜂根据太阳的位置和地标找到回蜂巢的路。',
      '蜜蜂在三公里范围内采集花蜜和花粉。',
    ),
    asked(
      '为什么通往东田的电车线路停运了？',
      '通往东田的电车线路停运，是因为桥梁无法承受新电车的重量。',
      '东田是一个有许多菜园的街区，有两所学校和一个游泳池。',
    ),
    asked(
      '市长选举中马海伦获得了多少票？',
      '在市长选举中，马海伦获得了41872票。',
      '市议会星期一讨论了预算和新图书馆。',
    ),
    asked(
      '合金索尔万的熔点是多少度？',
      '合金索尔万的熔点是摄氏842度。',
      '索尔万以棒材和板材出售，用于自行车车架。',
    ),
    asked(
      '哪种疫苗可以保护儿童免受河热病？',
      '疫苗利沃帕可以保护儿童至少十年免受河热病。',
      '河热病于1887年由一位船医首次记录。',
    ),
    asked(
      '托尔松岛的旗帜是什么颜色？',
      '托尔松岛的旗帜是绿色和白色。',
      '托尔松岛住着四百人，大多数以捕鱼为生。',
    ),
    asked(
      '青石大桥是哪一年通车的？',
      '青石大桥于1998年正式通车，连接了南北两岸。',
      '青石大桥的桥面上每天有许多行人散步。',
    ),
    asked(
      '云泽湖的面积有多大？',
      '云泽湖水域面积约320平方公里，是省内第三大湖泊。',
      '云泽湖盛产银鱼和螃蟹，每年秋天举行捕捞节。',
    ),
    asked(
      '小说《北窗》的作者是谁？',
      '长篇小说《北窗》由林若川所写，出版后多次再版。',
      '这部小说被改编成话剧，在上海演出了三十场。',
    ),
    asked(
      '孕妇可以服用布洛宁吗？',
      '布洛宁的说明书指出，怀孕期间不得服用该药。',
      '布洛宁在药店有售，一盒二十四片。',
    ),
    asked(
      '安平市现在有多少人口？',
      '截至去年底，安平市常住人口为230万人。',
      '安平市以陶瓷闻名，市内有三座博物馆。',
    ),
    asked(
      '海棠区的房价为什么上涨？',
      '由于地铁开通，海棠区房价去年上涨了百分之八。',
      '海棠区计划今年新建两所小学。',
    ),
    asked('怎样保存新鲜的蘑菇？', '新鲜蘑菇应放在纸袋里冷藏保存，不要清洗。', '蘑菇炖鸡是东北的一道名菜。'),
    asked(
      '南岭铁路总投资是多少钱？',
      '南岭铁路全线总投资120亿元，由国家和地方共同出资。',
      '南岭铁路沿线风景秀丽，吸引了不少摄影爱好者。',
    ),
    asked(
      '江州博物馆的第一任馆长叫什么名字？',
      '江州博物馆首任馆长是赵文博，任期十二年。',
      '江州博物馆周一闭馆，门票免费。',
    ),
    asked('鸿远集团总部在哪个城市？', '鸿远集团总部位于深圳市南山区。', '鸿远集团去年招聘了八百名毕业生。'),
    asked(
      '绿茶会影响睡眠吗？',
      '绿茶含有咖啡因，睡前饮用会影响睡眠质量。',
      '绿茶产于浙江、安徽等地，春茶最贵。',
    ),
    asked(
      '柯兰材料的熔点是多少度？',
      '实验表明，柯兰材料在1450摄氏度时熔化。',
      '柯兰材料由三位工程师在九十年代发明。',
    ),
    asked(
      '榆林平原的地下水位为什么下降？',
      '榆林平原地下水位持续下降，主要原因是农业灌溉过度抽水。',
      '榆林平原的小麦产量居全省首位。',
    ),
    asked('谁设计了观音塔？', '观音塔由建筑师何延设计，高八十八米。', '观音塔脚下的夜市十分热闹。'),
    asked(
      '江城马拉松有多少人参加？',
      '今年的江城马拉松共有一万二千名选手参加。',
      '江城马拉松的路线经过三座大桥。',
    ),
    asked('新方案什么时候开始实施？', '新的垃圾分类方案将从明年一月起实施。', '市民对新方案提出了许多意见。'),
  ],
};
