NAME 
ROWS
 N  OBJ
 G  demand_0
 G  demand_1
 G  demand_2
 G  demand_3
 L  capacity_0
 L  capacity_1
 L  capacity_2
 L  energy_limit_0
 L  energy_limit_1
 L  energy_limit_2
 L  total_energy_budget
COLUMNS
    MARKER    'MARKER'                 'INTORG'
    y[0]      OBJ       6.4866073748449831e+04
    y[0]      capacity_0  -1000000
    y[1]      OBJ       9.6427937575115764e+04
    y[1]      capacity_1  -1000000
    y[2]      OBJ       1.4356078356347271e+04
    y[2]      capacity_2  -1000000
    MARKER    'MARKER'                 'INTEND'
    x[0,0]    OBJ       3.9276266326746693e+01
    x[0,0]    demand_0  1
    x[0,0]    capacity_0  1
    x[0,0]    energy_limit_0  8.3988115777834338e+00
    x[0,0]    total_energy_budget  8.3988115777834338e+00
    x[0,1]    OBJ       8.1898094048610432e+01
    x[0,1]    demand_1  1
    x[0,1]    capacity_0  1
    x[0,1]    energy_limit_0  8.3988115777834338e+00
    x[0,1]    total_energy_budget  8.3988115777834338e+00
    x[0,2]    OBJ       5.8752160383650590e+01
    x[0,2]    demand_2  1
    x[0,2]    capacity_0  1
    x[0,2]    energy_limit_0  8.3988115777834338e+00
    x[0,2]    total_energy_budget  8.3988115777834338e+00
    x[0,3]    OBJ       6.9774088360703956e+01
    x[0,3]    demand_3  1
    x[0,3]    capacity_0  1
    x[0,3]    energy_limit_0  8.3988115777834338e+00
    x[0,3]    total_energy_budget  8.3988115777834338e+00
    x[1,0]    OBJ       6.0214090993038383e+01
    x[1,0]    demand_0  1
    x[1,0]    capacity_1  1
    x[1,0]    energy_limit_1  7.3067147915247981e+00
    x[1,0]    total_energy_budget  7.3067147915247981e+00
    x[1,1]    OBJ       2.8584692379243620e+01
    x[1,1]    demand_1  1
    x[1,1]    capacity_1  1
    x[1,1]    energy_limit_1  7.3067147915247981e+00
    x[1,1]    total_energy_budget  7.3067147915247981e+00
    x[1,2]    OBJ       1.5290270200106519e+01
    x[1,2]    demand_2  1
    x[1,2]    capacity_1  1
    x[1,2]    energy_limit_1  7.3067147915247981e+00
    x[1,2]    total_energy_budget  7.3067147915247981e+00
    x[1,3]    OBJ       3.0117453980818439e+01
    x[1,3]    demand_3  1
    x[1,3]    capacity_1  1
    x[1,3]    energy_limit_1  7.3067147915247981e+00
    x[1,3]    total_energy_budget  7.3067147915247981e+00
    x[2,0]    OBJ       9.5158746316503070e+01
    x[2,0]    demand_0  1
    x[2,0]    capacity_2  1
    x[2,0]    energy_limit_2  3.5324102643390272e+00
    x[2,0]    total_energy_budget  3.5324102643390272e+00
    x[2,1]    OBJ       7.0660607393219436e+01
    x[2,1]    demand_1  1
    x[2,1]    capacity_2  1
    x[2,1]    energy_limit_2  3.5324102643390272e+00
    x[2,1]    total_energy_budget  3.5324102643390272e+00
    x[2,2]    OBJ       4.4109250178960828e+01
    x[2,2]    demand_2  1
    x[2,2]    capacity_2  1
    x[2,2]    energy_limit_2  3.5324102643390272e+00
    x[2,2]    total_energy_budget  3.5324102643390272e+00
    x[2,3]    OBJ       8.5886077682154863e+01
    x[2,3]    demand_3  1
    x[2,3]    capacity_2  1
    x[2,3]    energy_limit_2  3.5324102643390272e+00
    x[2,3]    total_energy_budget  3.5324102643390272e+00
RHS
    RHS1      demand_0  1
    RHS1      demand_1  1
    RHS1      demand_2  1
    RHS1      demand_3  1
    RHS1      energy_limit_0  1000000
    RHS1      energy_limit_1  1000000
    RHS1      energy_limit_2  1000000
    RHS1      total_energy_budget  1000000
BOUNDS
 BV BND1      y[0]    
 BV BND1      y[1]    
 BV BND1      y[2]    
ENDATA
