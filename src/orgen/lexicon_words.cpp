#include "orgen/lexicon_words.h"

namespace trex::orgen {

std::span<const WordList> word_lists() {
  static constexpr WordList kLists[] = {
      {"foods",
       "Oats Rice Beans Lentils Milk Yogurt Cheese Eggs Chicken Salmon Tuna Beef Pork Tofu Bread "
       "Pasta Potatoes Carrots Spinach Broccoli Peas Corn Apples Bananas Oranges Grapes Berries "
       "Almonds Walnuts Peanuts Barley Quinoa Millet Cabbage Tomatoes Onions Peppers Pumpkin "
       "Squash "
       "Turnips Celery Mushrooms Avocado Mango Pears Plums Cherries Dates Figs Raisins Honey "
       "Noodles "
       "Couscous Chickpeas Turkey Trout"},
      {"feeds",
       "Hay Silage Alfalfa Clover Straw Bran Middlings Molasses Soymeal Rapemeal Fishmeal Bonemeal "
       "Cornmeal Oatmeal Beetpulp Citruspulp Sorghum Triticale Rye Wheat Vetch Lupins Cottonseed "
       "Linseed Sunflower Canola Gluten Distillers Brewgrain Whey Tallow Urea Limestone Haylage "
       "Ryegrass Fescue Timothy Bermuda Sudangrass Cowpea Mulberry Cassava Copra Palmcake Sesame "
       "Safflower Algae Yeast"},
      {"provisions",
       "Pemmican Biscuit Chocolate Butter Oatcake Jerky Bacon Sardines Herring Stockfish Cocoa "
       "Sugar Rusks Porridge Granola Soup Stew Chili Curry Risotto Omelette Custard Pudding Muesli "
       "Crackers Hardtack Salami Ham Sausage Cashews Hazelnuts Pistachios Apricots Prunes "
       "Cranberries "
       "Lemons Sauerkraut Pickles Marmalade Syrup Toffee Nougat Halva Tahini Polenta Gnocchi "
       "Dumplings "
       "Flatbread"},
      {"nutrients",
       "Protein Fibre Calcium Iron Zinc Potassium Magnesium Iodine Folate Niacin Thiamin "
       "Riboflavin "
       "Biotin Choline Selenium Copper Manganese Phosphorus Carotene Retinol Starch Lysine Omega "
       "Energy Ascorbate Lycopene Methionine Leucine Valine Tryptophan Lutein Chromium Sodium "
       "Chloride Sulphur Cobalt Taurine Inulin Pectin Histidine"},
      {"crudes",
       "Brent Dubai Urals Maya Bonny Forcados Tapis Minas Arabian Basra Kirkuk Azeri Siberian Duri "
       "Cabinda Girassol Dalia Ekofisk Oseberg Statfjord Forties Mars Poseidon Midland Cushing "
       "Bakken "
       "Hardisty Merey Napo Castilla Vasconia Escravos Qua Saharan Zarzaitine Essider Murban Oman "
       "Upper Zakum Daqing Shengli Cossack Gippsland Lalang Labuan"},
      {"fuel_qualities",
       "Octane Cetane Volatility Stability Lubricity Heating Density Purity Clarity Aromatics "
       "Alkylate Oxygenate Isoparaffin Naphthene Flashpoint Detergency Fluidity Cleanness Hydrogen "
       "Reformate Toluene Xylene Ethanol Butane"},
      {"scrap",
       "Ingot Billet Turnings Castings Shavings Plate Wire Sheet Rails Pipes Bolts Springs Gears "
       "Shafts Flanges Valves Blades Rods Foil Mesh Chains Anchors Hinges Brackets Radiators "
       "Pistons "
       "Cylinders Crankcase Housings Fittings Nails Screws Cables Busbars Coins Cans Tubes Beams "
       "Girders Grates Hulls Wheels Axles Tanks Drums Kettles Pans Bells"},
      {"metals",
       "Nickel Tin Lead Silver Titanium Vanadium Tungsten Molybdenum Niobium Silicon Aluminium "
       "Antimony Bismuth Cadmium Gold Platinum Palladium Rhodium Indium Gallium Germanium Tantalum "
       "Zirconium Beryllium"},
      {"beans",
       "Bourbon Typica Caturra Catuai Geisha Pacamara Maragogipe Robusta Liberica Kona Mocha Harar "
       "Yirgacheffe Sidamo Guji Limu Kenya Rwanda Burundi Antigua Huehue Tarrazu Boquete Narino "
       "Huila "
       "Cauca Tolima Santos Cerrado Mogiana Bahia Mandheling Gayo Lintong Toraja Java Bali Malabar "
       "Monsooned Mysore Chiapas Oaxaca Marcala Jinotega Matagalpa Cajamarca Chanchamayo Barahona"},
      {"tastes",
       "Aroma Body Acidity Sweetness Bitterness Balance Finish Fruitiness Nuttiness Smoothness "
       "Spice Floral Caramel Citrus Cocoanote Earthiness Crispness Depth Freshness Richness "
       "Roundness "
       "Complexity Brightness Syrupiness"},
      {"minerals",
       "Guano Marl Apatite Potash Kainite Carnallite Sylvite Langbeinite Dolomite Gypsum Ureaform "
       "Compost Manure Humate Biochar Struvite Slag Ash Basalt Kelp Feathermeal Bloodmeal Hoofmeal "
       "Shellmeal Peat Vinasse Bagasse Digestate Leonardite Glauconite Polyhalite Kieserite "
       "Epsom Borax Saltpetre Ammonium Nitrolime Phosphate Sulphate Zeolite Perlite Vermiculite "
       "Bentonite Loess Pumice Chalk Coprolite"},
      {"elements",
       "Nitrogen Phosphor Kalium Calcia Magnesia Sulfur Boron Ironoxide Manganate Zincate Cuprate "
       "Molybdate Humus Carbon Silica Cobaltate Chlorine Seleniate Nickelate Soda Alumina Titania "
       "Fulvate Amine"},
      {"furniture",
       "Chairs Tables Desks Benches Shelves Cabinets Wardrobes Beds Sofas Stools Dressers "
       "Bookcases "
       "Sideboards Nightstands Cribs Rockers Ottomans Armchairs Recliners Bureaus Chests Hutches "
       "Consoles Mirrors Racks Trolleys Lecterns Pedestals Screens Trunks Bunks Daybeds Futons "
       "Settees Loungers Hammocks Credenzas Vanities Armoires Carts Easels Cradles Headboards "
       "Footstools Dividers Planters Coatstands Plinths"},
      {"bakery",
       "Baguettes Croissants Muffins Scones Bagels Brownies Cookies Cupcakes Donuts Eclairs "
       "Pretzels "
       "Tarts Pies Rolls Buns Loaves Brioche Ciabatta Focaccia Strudel Danishes Waffles Pancakes "
       "Crumpets Macarons Meringues Cheesecakes Turnovers Biscotti Shortbread Gingerbread "
       "Fruitcake "
       "Panettone Stollen Challah Pitas Naan Tortillas Wafers Trifles Galettes Madeleines "
       "Financiers "
       "Profiteroles Churros Babkas Flapjacks Teacakes"},
      {"devices",
       "Phones Tablets Laptops Monitors Printers Routers Cameras Speakers Headsets Keyboards "
       "Scanners "
       "Projectors Radios Clocks Watches Drones Chargers Adapters Modems Switches Sensors "
       "Thermostats Alarms Lamps Heaters Blenders Toasters Mixers Juicers Irons Vacuums "
       "Humidifiers Purifiers Shavers Trimmers Scales Calculators Amplifiers Turntables "
       "Microphones "
       "Webcams Beacons Trackers Dimmers Doorbells Intercoms"},
      {"garments",
       "Shirts Trousers Jackets Coats Skirts Dresses Blouses Sweaters Cardigans Vests Suits Jeans "
       "Shorts Leggings Socks Scarves Gloves Hats Caps Belts Ties Hoodies Parkas Blazers Tunics "
       "Robes "
       "Pyjamas Aprons Ponchos Kimonos Capes Overalls Tracksuits Raincoats Mittens Beanies Shawls "
       "Kilts Sarongs Waistcoats Anoraks Jumpers Polos Chinos Corsets Gowns Berets Bandanas"},
      {"wood_steps",
       "Sawing Sanding Painting Assembly Drilling Polishing Carving Turning Planing Gluing "
       "Varnishing "
       "Upholstery Staining Waxing Veneering Mortising Routing Clamping Lacquering Dowelling "
       "Jointing "
       "Edging Oiling Packing Inspection Padding Hinging Marking"},
      {"bakery_steps",
       "Mixing Kneading Proofing Baking Cooling Glazing Icing Wrapping Sifting Weighing Shaping "
       "Filling "
       "Slicing Dusting Whisking Rolling Dividing Scoring Frosting Layering Chilling Boxing Piping "
       "Laminating Toasting Resting Melting Garnishing"},
      {"electronics_steps",
       "Soldering Wiring Moulding Testing Etching Plating Coating Curing Labelling Calibration "
       "Programming Bonding Stamping Screening Winding Potting Milling Crimping Encasing Tuning "
       "Rinsing Reflow Ageing Sealing Stripping Mounting Burnin Serialising"},
      {"tailoring_steps",
       "Cutting Sewing Dyeing Ironing Stitching Folding Pressing Embroidery Hemming Lining "
       "Buttoning "
       "Quilting Steaming Trimming Pleating Basting Knitting Weaving Printing Washing Bleaching "
       "Beading Zipping Smocking Darning Fitting Tagging Pinning Felting Crocheting Tufting "
       "Draping "
       "Gathering Interfacing Overlocking Appliqueing Shrinking Starching"},
      {"goods",
       "paint varnish enamel primer stain lacquer glue sealant plaster cement toys puzzles dolls "
       "kites "
       "marbles skates sledges skis canoes kayaks tents blankets quilts pillows candles lanterns "
       "stoves grills fans coolers umbrellas boots sandals wreaths calendars notebooks pencils "
       "brushes rollers ladders buckets hoses rakes shovels mowers bicycles scooters helmets "
       "cider lemonade biscuits syrups jams pickles"},
      {"luggage",
       "Tent Stove Rope Lantern Compass Axe Blanket Camera Tripod Binoculars Radio Notebook "
       "Hammock "
       "Poncho Boots Kettle Skillet Thermos Torch Knife Whistle Map Tarp Hatchet Cooler Filter "
       "Charger "
       "Battery Sunscreen Umbrella Raincoat Helmet Harness Crampons Snowshoes Paddle Wetsuit "
       "Snorkel "
       "Fins Kite Guitar Chessboard Hatbox Sketchbook Pillow Mattress Towel Medkit"},
      {"cargo",
       "Copperware Timber Cotton Silk Wool Leather Rubber Tea Coffee Spices Pepper Cinnamon "
       "Vanilla "
       "Saffron Ivorynut Porcelain Glassware Carpets Tapestries Clockwork Engines Pumps Turbines "
       "Generators Batteries Tyres Bicycles Tractors Ploughs Looms Presses Pianos Violins Books "
       "Maps "
       "Lenses Marble Granite Slate Tiles Bricks Resin Amber Wax Indigo Linen Hemp Jute"},
      {"artworks",
       "Vase Statue Portrait Landscape Mosaic Tapestry Fresco Bust Medallion Amulet Sceptre Crown "
       "Goblet Chalice Mask Scroll Codex Icon Triptych Relief Urn Figurine Brooch Tiara Dagger "
       "Shield "
       "Armour Lyre Harp Globe Astrolabe Sundial Sextant Clock Cabinet Throne Casket Mirror "
       "Chandelier "
       "Candelabrum Totem Obelisk Sarcophagus Papyrus Etching Watercolour Manuscript"},
      {"instruments",
       "Spectrometer Magnetometer Altimeter Radiometer Seismometer Telescope Gyroscope Thermometer "
       "Barometer Photometer Gravimeter Imager Lidar Radar Sounder Sampler Collector Analyzer "
       "Microscope Polarimeter Interferometer Coronagraph Dosimeter Hygrometer Anemometer "
       "Ceilometer "
       "Accelerometer Refractometer Calorimeter Chromatograph Centrifuge Incubator Spectrograph "
       "Bolometer Electrometer Fluxgate Plasmaprobe Dustcounter Startracker Beaconlight Reflector "
       "Transponder Antenna Laserhead Cryostat Detector Telemeter Oscillator"},
      {"people",
       "Alice Bruno Clara David Elena Felix Greta Hugo Irene Jonas Karin Lukas Maria Nadia Oscar "
       "Paula Quentin Rosa Simon Tara Ursula Victor Wanda Xavier Yara Zeno Amir Bella Carlos Diana "
       "Emil Fatima Gustav Hanna Ivan Julia Kofi Lena Marco Nora Omar Petra Rafael Sofia Tomas Uma "
       "Vera Walter Ximena Yusuf Zoe Anton Beatriz Cyril Dora Edgar Flora Goran Helga Igor Joan "
       "Klaus "
       "Lydia Milan Nina Otto Priya Ravi Sven Tilda Ugo Viola Wes Yann"},
      {"jobs",
       "Audit Budget Survey Report Design Review Backup Upgrade Training Inventory Payroll "
       "Marketing "
       "Recruiting Planning Scheduling Purchasing Translation Editing Filming Photography Catering "
       "Cleaning Gardening Plumbing Roofing Tiling Carpentry Masonry Decorating Landscaping "
       "Surveying "
       "Mapping Coding Debugging Deployment Migration Archiving Cataloguing Negotiation Compliance "
       "Forecasting Benchmarking Prototyping Mentoring Interviewing Fundraising Outreach "
       "Logistics"},
      {"rooms",
       "Atrium Ballroom Library Gallery Auditorium Chapel Cellar Attic Studio Workshop Laboratory "
       "Theatre Lounge Terrace Courtyard Conservatory Pavilion Rotunda Foyer Parlour Nursery "
       "Kitchen "
       "Pantry Laundry Garage Stable Barn Greenhouse Orangery Balcony Veranda Corridor Vestibule "
       "Archive Refectory Dormitory Infirmary Gymnasium Observatory Planetarium Aquarium Arcade "
       "Loft "
       "Cloister Bakehouse Boathouse Gatehouse Tower"},
      {"relay",
       "Freestyle Butterfly Backstroke Breaststroke Medley Sprint Hurdles Relayleg Marathon "
       "Steeplechase "
       "Javelin Discus Shotput Hammer Longjump Highjump Polevault Triplejump Vault Rings Beam "
       "Floor "
       "Rowing Sculling Canoeing Sailing Cycling Keirin Pursuit Omnium Slalom Downhill Biathlon "
       "Luge "
       "Skeleton Bobsleigh Curling Archery Fencing Epee Sabre Judo Karate Wrestling Boxing Tennis "
       "Badminton Squash"},
      {"routes",
       "Harbour Airport Station Market Museum Stadium Hospital University Castle Cathedral Zoo "
       "Park "
       "Beach Lighthouse Dam Quarry Mill Brewery Vineyard Orchard Ranch Sawmill Foundry Shipyard "
       "Depot "
       "Terminal Junction Bridge Tunnel Ferry Canal Lock Reservoir Forest Meadow Valley Ridge "
       "Summit "
       "Glacier Lagoon Island Peninsula Cape Fjord Delta Plateau Canyon Oasis"},
      {"towns",
       "Aberdeen Bergen Cordoba Dresden Evora Florence Ghent Hamburg Innsbruck Jena Krakow Leeds "
       "Malmo "
       "Nantes Oslo Porto Quito Riga Seville Turin Utrecht Vienna Warsaw York Zagreb Aarhus Basel "
       "Cork "
       "Derby Essen Fargo Geneva Halifax Izmir Jaipur Kyoto Lima Mobile Naples Odessa Perth Quebec "
       "Reno "
       "Salem Tulsa Udine Verona Wichita Xalapa Yuma Zurich Austin Boston Cairo Dallas Exeter "
       "Fresno "
       "Graz Hobart Ipswich Jackson Kiel Lyon Memphis Nice Omaha Padua Rennes Tampa Uppsala "
       "Valletta Windsor Yalta Zadar Antwerp Bilbao Calais Denver Erfurt Faro Genoa Houston Ibadan "
       "Juneau Kassel Lagos Madrid Nairobi Orleans Pisa Rouen Siena Toledo Trieste Vigo Worms "
       "Bremen "
       "Colmar Dijon Eugene Freiburg Galway Haarlem Ithaca Joliet Lugano Metz Novara Ostend "
       "Plymouth "
       "Ravenna Split Tartu Umea Varna Waco"},
      {"depots",
       "Ashford Birchwood Cedarhill Dunmore Eastgate Fairview Glenwood Highfield Ironbridge Jasper "
       "Kingsway Lakeside Millbrook Northgate Oakridge Pinecrest Quarryton Riverside Southport "
       "Thornhill Upton Valleyford Westbrook Yewtree Zenith Alderbrook Beechwood Clifton Deepdale "
       "Elmhurst Foxhill Greenfield Hazelwood Islington Juniper Knollwood Larkspur Mapleton "
       "Newhaven "
       "Orchardton Parkside Queensbury Redcliff Stonebridge Timberlake Underhill Vinewood "
       "Willowdale "
       "Ashgrove Brookfield Crossroads Dovecote Easton Ferndale Gateway Hillcrest Ivybridge "
       "Kestrel "
       "Longford Marshfield Norwood Overton Pembroke Ridgeway Silverton Tanglewood Uplands "
       "Wexford"},
      {"firms",
       "Acorn Beacon Dawson Everest Falcon Granger Horizon Ibis Jubilee Keystone Lumen Meridian "
       "Nimbus Orion Pinnacle Quartz Regent Sterling Trident Unity Vanguard Wyvern Zephyr Albion "
       "Bramble "
       "Crescent Drake Ember Garnet Harrier Juno Kepler Laurel Magnet Nova Olympus "
       "Prairie Raven Sable Talisman Umber Vertex Willow Yarrow Zodiac"},
  };
  return kLists;
}

Compounds compounds() {
  return {.heads =
              "Amber Arrow Ash Beech Birch Black Bright Bronze Brook Cedar Clay Clear Cloud Copper "
              "Coral Crown Dawn Deep Dew East Elder Elm Ember Fair Fern Fox Frost Glen Gold Grand "
              "Green Grey Hazel High Hill Iron Ivory Ivy Jade Lake Lark Light Linden Long Maple "
              "Marsh Mill Moon Moss North Oak Pearl Pine Quick Raven Red Rose Ruby Rush Sand Shade "
              "Silver Snow South Star Stone Storm Summer Sun Swan Swift Thorn Timber True Vale "
              "Violet West White Wild Willow Wind Winter Wood",
          .tails =
              "bank bar bay bell berg bird bloom bridge burn cap cast cliff cloth cote craft crest "
              "cross dale den drop dust end fall fast field flow fold ford gate glass grain grove "
              "guard guild ham haven hawk heath hold house hurst land leaf lee ley line lock lode "
              "mark meal mere mint mont mount ness nut path point pool port ridge rise root seed "
              "shaw shell shire side silk smith stead stem thorpe ton tree view wall ward ware "
              "water way weed well wick wing works worth yard"};
}

}  // namespace trex::orgen
